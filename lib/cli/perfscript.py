#!/usr/bin/python3
"""Runs a Python script that was written for `perf script -s` on the lines of pt-script.

    perf-script.py FD SCRIPT [ARG...]       pt-script -s runs it so; FD: where its lines come from

The script's functions are called as perf calls them (perf-script-python(1)): trace_begin(), then for each sample
    SYSTEM__EVENT(event_name, context, cpu, secs, nsecs, pid, comm, callchain, FIELD... [, perf_sample_dict])   of tracepoints
    trace_unhandled(event_name, context, event_fields_dict [, perf_sample_dict])        of tracepoints without a function
    process_event(param_dict)                                                           of other events
and trace_end(). The modules that perf's own scripts import (Core, Util, ...) are those of the installed perf.
"""
import ast
import inspect
import json
import operator
import os
import re
import signal
import sys
import types

PERF_FOLDERS = ("/usr/lib/perf-core", "/usr/libexec/perf-core", "/usr/share/perf-core")
OPERATORS = {
    ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.Add: operator.add, ast.Sub: operator.sub,
    ast.Invert: operator.invert, ast.USub: operator.neg, ast.UAdd: operator.pos,
}


def number(text):
    """The value of a constant expression of C. It comes from a recording, so nothing but integers is evaluated; ValueError: it is none."""
    text = re.sub(r"\(\s*[A-Za-z_][\w\s]*\)", "", text)                                   # casts
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text.replace("\n", " "))     # 1UL
    text, shifts = re.sub(r"\b0+(\d)", r"\1", text), {ast.LShift: operator.lshift, ast.RShift: operator.rshift}

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            if type(node.op) in shifts and 0 <= right < 64:
                return shifts[type(node.op)](left, right)
            if type(node.op) in OPERATORS:
                return OPERATORS[type(node.op)](left, right)
        raise ValueError(text)

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(text) from None


def arguments(text, start):
    """The arguments of the call whose "(" is in front of `start`, and where they end."""
    depth, quoted, found, begin, at = 0, False, [], start, start
    while at < len(text):
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "({[":
            depth += 1
        elif c in ")}]" and depth:
            depth -= 1
        elif c == ")" or (c == "," and not depth):
            found.append(text[begin:at].strip())
            begin = at + 1
            if c == ")":
                break
        at += 1
    return found, at


def define_names(functions, handler, print_fmt):
    """Tells the script's Core module the names of flags and values that the event's text has."""
    calls, at = re.compile(r"__print_(flags|symbolic)\w*\("), 0
    while call := calls.search(print_fmt, at):
        args, at = arguments(print_fmt, call.end())
        field = re.search(r"REC->(\w+)", args[0]) if args else None
        if not field:
            continue
        if call[1] == "flags":
            kind, pairs = "flag", args[2:]
            functions["define_flag_field"](handler, field[1], args[1].strip('"') if len(args) > 1 else "")
        else:
            kind, pairs = "symbolic", args[1:]
            functions["define_symbolic_field"](handler, field[1])
        for pair in pairs:
            value, _, name = pair.strip("{} \n").rpartition(",")
            try:
                functions["define_%s_value" % kind](handler, field[1], number(value), name.strip().strip('"'))
            except ValueError:
                pass


def common(field):
    return lambda context: context.get(field, 0)


def context_module():
    """perf_trace_context, which perf itself has: common fields of the current event."""
    m = types.ModuleType("perf_trace_context")
    m.common_pc = common("common_preempt_count")
    m.common_flags = common("common_flags")
    m.common_lock_depth = common("common_lock_depth")
    return m


def call_chain(line):
    chain = []
    if "callchain" not in line:
        return chain
    for frame in line.get("stack", []):
        entry = {"ip": int(frame["ip"], 16)}
        if "sym" in frame:
            start = entry["ip"] - frame["symoff"]
            entry["sym"] = {"name": frame["sym"], "start": start, "end": start, "binding": 1}
            entry["sym_off"] = frame["symoff"]
        if "dso" in frame:
            entry["dso"] = frame["dso"]
        chain.append(entry)
    return chain


def sample_dict(line, attrs, chain):
    d = {
        "ev_name": line["event"],
        "attr": attrs.get(line["event"], b""),
        "sample": {
            "pid": line.get("pid", -1), "tid": line.get("tid", -1), "cpu": line.get("cpu", -1), "ip": int(line.get("ip", "0"), 16),
            "time": line.get("time_ns", 0), "period": line.get("period", 0), "addr": int(line.get("addr", "0"), 16),
            "phys_addr": line.get("phys_addr", 0),
        },
        "raw_buf": bytes.fromhex(line.get("raw", "")),
        "comm": line["comm"],
        "callchain": chain,
    }
    if line.get("stack"):
        # perf's symbol of a sample is the function, not what is inlined into it
        here = next((f for f in line["stack"] if not f.get("inlined")), line["stack"][0])
        d.update({to: here[key] for key, to in (("dso", "dso"), ("sym", "symbol"), ("symoff", "symoff")) if key in here})
    return d


def field_value(value):
    """Numbers as they are; text as a string if it can be printed, else bytes, as all other arrays."""
    if not isinstance(value, dict):
        return value
    data = bytes.fromhex(value.get("text", value.get("bytes")))
    if "text" in value and all(32 <= c < 127 or 9 <= c <= 13 for c in data):
        return data.decode()
    return bytearray(data)


def argument_count(function):
    return len(inspect.signature(function).parameters)


def tracepoint(functions, line, attrs):
    handler, chain = line["handler"], call_chain(line)
    fields = {name: field_value(value) for name, value in line["fields"].items()}
    secs, nsecs = divmod(line.get("time_ns", 0), 10 ** 9)
    context = line["common"]
    who = (line.get("cpu", -1), secs, nsecs, context.get("common_pid", line.get("pid", -1)), line["comm"], chain)
    function = functions.get(handler)
    if function:
        args = [handler, context, *who, *fields.values()]
    else:
        function = functions.get("trace_unhandled")
        names = ("common_cpu", "common_s", "common_ns", "common_pid", "common_comm", "common_callchain")
        args = [handler, context, {**dict(zip(names, who)), **fields}]
    if not function:
        return
    if argument_count(function) == len(args) + 1:
        args.append(sample_dict(line, attrs, chain))
    function(*args)


def run(lines, functions):
    attrs, nothing = {}, lambda *args: None
    functions.get("trace_begin", nothing)()
    for text in lines:
        line = json.loads(text)
        if "about" in line:
            attrs[line["about"]] = bytes.fromhex(line["attr"])
            if "print_fmt" in line and "define_flag_value" in functions:
                define_names(functions, line["handler"], line["print_fmt"])
        elif "handler" in line:
            tracepoint(functions, line, attrs)
        elif "event" in line and "process_event" in functions:
            functions["process_event"](sample_dict(line, attrs, call_chain(line)))
    functions.get("trace_end", nothing)()


def main():
    lines, script = os.fdopen(int(sys.argv[1]), errors="surrogateescape"), sys.argv[2]
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # pt-script ends its lines then, and trace_end() is called
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(script)
    sys.modules["perf_trace_context"] = context_module()
    os.environ.setdefault("PERF_EXEC_PATH", next((f for f in PERF_FOLDERS if os.path.isdir(f)), PERF_FOLDERS[0]))
    sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")
    main_module = sys.modules["__main__"] = types.ModuleType("__main__")
    main_module.perf_script_context = None
    with open(script, "rb") as f:
        exec(compile(f.read(), script, "exec"), main_module.__dict__)
    run(lines, main_module.__dict__)


main()
