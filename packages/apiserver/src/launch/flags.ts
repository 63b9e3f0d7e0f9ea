/** Flags in the syntax of Go programs: `--name=value`, `--name value`, `--name` alone; a flag may be repeated. */

/** The values of each flag, in order. A flag without a value has the value `true`. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Parses flags. The next argument is the value of a flag unless it looks like a flag itself. */
export function parseFlags(args: readonly string[]): Flags {
  const flags = new Map<string, string[]>();
  for (let index = 0; index < args.length; index++) {
    const match = /^--?([a-zA-Z0-9-]+)(?:=(.*))?$/s.exec(args[index] ?? "");
    if (match === null) continue;
    const [, name = "", value] = match;
    const next = args[index + 1];
    const takesNext = value === undefined && next !== undefined && !next.startsWith("-");
    if (takesNext) index++;
    const values = flags.get(name) ?? [];
    flags.set(name, [...values, value ?? (takesNext ? next : "true")]);
  }
  return flags;
}

/** The last value of a flag, which replaces earlier ones. */
export function lastValue(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1);
}

/** All values of a list flag; each may contain several, separated by commas. */
export function listValue(flags: Flags, name: string): string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}
