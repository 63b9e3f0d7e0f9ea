/** Computes the next words of a command line for the completion scripts of the shells. */
import { find } from "../cli.ts";
import { commands } from "../commands.ts";
import type { Command } from "./define.ts";

/** The words that can replace the last one. */
export async function complete(words: readonly string[], cwd: string): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const entry = find(before);
  const own =
    entry === undefined
      ? []
      : await within(await entry.load(), { before: before.slice(entry.name.split(" ").length), typed, cwd });
  return [...new Set([...nextWords(before), ...own])].filter((word) => word.startsWith(typed)).sort();
}

/** The next word of every command that begins like this. */
function nextWords(before: readonly string[]): string[] {
  return commands.flatMap(({ name }) => {
    const parts = name.split(" ");
    const next = parts[before.length];
    return next !== undefined && before.every((word, at) => parts[at] === word) ? [next] : [];
  });
}

interface Cursor {
  readonly before: readonly string[];
  readonly typed: string;
  readonly cwd: string;
}

async function within(command: Command, { before, typed, cwd }: Cursor): Promise<string[]> {
  const asked = Object.entries(command.options).find(([name, { short }]) => {
    const last = before.at(-1);
    return last === `--${name}` || (short !== undefined && last === `-${short}`);
  })?.[1];
  if (asked?.type === "text") return [...(asked.choices ?? [])];
  if (typed.startsWith("-")) return [...Object.keys(command.options), "help"].map((name) => `--${name}`);
  const args = before.filter((word) => !word.startsWith("-"));
  return command.complete === undefined ? [] : [...(await command.complete({ args, cwd }))];
}
