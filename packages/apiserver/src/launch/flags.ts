/** Flags as Go programs take them: `--name=value`, `--name value`, `--name` alone; a flag may come several times. */

/** The values of each flag, in order. A flag without a value has the value `true`. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Reads flags; whether a flag takes the next argument as its value depends on whether that looks like a flag. */
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

/** The last value of a flag: later ones replace earlier ones. */
export function lastValue(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1);
}

/** All values of a flag that is a list; each may hold several, separated by commas. */
export function listValue(flags: Flags, name: string): string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}
