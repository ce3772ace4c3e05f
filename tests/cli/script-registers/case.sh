# Registers have the names of the recorded CPU.
pt-script -F comm,uregs "$PT_DATA/stacks/arm64-fp.data" | head -2
pt-script -F comm,uregs "$PT_DATA/stacks/arm64.data" | head -1
pt-script -F comm,uregs "$PT_DATA/stacks/i386.data" | head -1
