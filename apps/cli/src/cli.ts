/** Runs one command line: finds the command, parses its words, runs it, and maps the outcome to an exit code. */
import type { Command } from "./command/define.ts";
import { type Entry, commands, oldNames } from "./commands.ts";
import { CliError, exitCodes, toCliError } from "./errors.ts";
import { withProgress } from "./output/progress.ts";
import { styleOf } from "./output/style.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a command line and returns the exit code. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(words, terminal);
  } catch (thrown) {
    const error = toCliError(thrown);
    const { red } = styleOf(terminal);
    terminal.err(`${red("capstan:")} ${error.message}\n`);
    if (error.code === "Bug" && error.cause instanceof Error) terminal.err(`${error.cause.stack ?? ""}\n`);
    return exitCodes[error.code].code;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first = ""] = words;
  if (first === "" || first === "--help" || first === "-h") return overview(terminal, first === "" ? "Usage" : "Done");
  if (first === "help") return help(words.slice(1), terminal);
  if (first === "--version" || first === "-v") return dispatch(["version"], terminal);
  if (first === "__complete") {
    const { complete } = await import("./command/complete.ts");
    terminal.out((await complete(words.slice(1), terminal.cwd)).map((word) => `${word}\n`).join(""));
    return 0;
  }
  const entry = find(words);
  if (entry === undefined) return unknown(words, terminal);
  return runCommand(entry, words.slice(entry.name.split(" ").length), terminal);
}

async function runCommand(entry: Entry, words: readonly string[], terminal: Terminal): Promise<number> {
  const name = `capstan ${entry.name}`;
  const [command, { parse }] = await Promise.all([entry.load(), import("./command/parse.ts")]);
  const { help: asked, options, args, rest } = parse(command, words, name);
  if (asked) return page(entry, command, terminal);
  const run = async (): Promise<number> => (await command.run({ options, args, rest, terminal })) ?? 0;
  return command.progress === "own" ? run() : withProgress(terminal, name, run);
}

/** The entry with the longest name that the words begin with. */
export function find(words: readonly string[]): Entry | undefined {
  const begins = ({ name }: Entry): boolean => name.split(" ").every((word, at) => words[at] === word);
  return commands.filter(begins).sort((a, b) => b.name.length - a.name.length)[0];
}

async function overview(terminal: Terminal, ending: "Usage" | "Done"): Promise<number> {
  const { formatOverview } = await import("./command/help.ts");
  const text = formatOverview(commands, styleOf(terminal));
  if (ending === "Done") terminal.out(text);
  else terminal.err(text);
  return exitCodes[ending].code;
}

async function page(entry: Entry, command: Command, terminal: Terminal): Promise<number> {
  const { formatCommand } = await import("./command/help.ts");
  terminal.out(formatCommand(entry, command, { style: styleOf(terminal), columns: terminal.columns }));
  return 0;
}

async function help(words: readonly string[], terminal: Terminal): Promise<number> {
  if (words.length === 0) return overview(terminal, "Done");
  if (words[0] === "exit-codes") {
    const lines = Object.entries(exitCodes).map(([, { code, means }]) => `${String(code).padStart(4)}  ${means}\n`);
    terminal.out(lines.join(""));
    return 0;
  }
  if (words[0] === "reference") {
    const { formatReference } = await import("./command/reference.ts");
    terminal.out(await formatReference(commands, Object.values(exitCodes)));
    return 0;
  }
  const entry = find(words);
  return entry === undefined ? unknown(words, terminal) : page(entry, await entry.load(), terminal);
}

/** Handles a group of commands (`create`), a name from another tool, or a typing error. */
async function unknown(words: readonly string[], terminal: Terminal): Promise<number> {
  const spoken = words.filter((word) => !word.startsWith("-"));
  const [first = words[0] ?? ""] = spoken;
  const members = commands.filter(({ name }) => name.startsWith(`${first} `));
  const old = oldNames[spoken.slice(0, 2).join(" ")] ?? (members.length === 0 ? oldNames[first] : undefined);
  if (old !== undefined) throw new CliError("Usage", `that is now: ${old}`);
  if (members.length > 0) return group(first, { members, words, terminal });
  const { suggest } = await import("./command/suggest.ts");
  const names = [...new Set(commands.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]))];
  const hint = suggest(spoken.slice(0, 2).join(" "), names) || suggest(first, names);
  throw new CliError("Usage", `there is no command ${JSON.stringify(first)}${hint || "; see capstan --help"}`);
}

async function group(
  first: string,
  { members, words, terminal }: { members: readonly Entry[]; words: readonly string[]; terminal: Terminal },
): Promise<number> {
  const second = words[1];
  const list = members.map(({ name, summary }) => `  capstan ${name.padEnd(24)}  ${summary}\n`).join("");
  if (second === "--help" || second === "-h") {
    terminal.out(list);
    return 0;
  }
  const { nearest } = await import("./command/suggest.ts");
  const names = members.map(({ name }) => name.slice(first.length + 1));
  const spoken = words.filter((word) => !word.startsWith("-")).slice(1, 3);
  const near = nearest(spoken.join(" "), names) ?? nearest(second ?? "", names);
  const problem =
    second === undefined
      ? `${first} alone is no command`
      : `there is no command ${JSON.stringify(`${first} ${second}`)}${near === undefined ? "" : `; did you mean ${first} ${near}?`}`;
  throw new CliError("Usage", `${problem}${problem.endsWith("?") ? " There" : "; there"} is:\n${list.trimEnd()}`);
}
