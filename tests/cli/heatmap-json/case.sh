# The counts: rows chosen, gathered rows, steps, units of the input.
printf '%s\n' '0 10' '1000 20' '2000 5000' '3000 10' > lat.txt
pt-heatmap -j --rows 8 --step 1ms lat.txt
pt-heatmap -j --rows 8 --step 1ms --linear lat.txt
pt-heatmap -j --rows 8 --step 1ms --max 30us --min 15us lat.txt
pt-heatmap -j --log --rows 5 --columns 2 --unitstime ms --unitslat ns lat.txt
printf '%s\n' '5 7' | pt-heatmap -j
printf '%s\n' '5 0' '5 0' | pt-heatmap -j --log
