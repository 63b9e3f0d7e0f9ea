/** Parses words into the values of a command's options and arguments, or fails with one sentence. */
import { parseArgs } from "node:util";
import { CliError } from "../errors.ts";
import type { Command, Option, Options } from "./define.ts";
import { suggest } from "./suggest.ts";

/** The result of parsing. */
export interface Parsed {
  readonly help: boolean;
  readonly options: { readonly [name: string]: string | boolean | readonly string[] | undefined };
  readonly args: readonly string[];
  readonly rest: readonly string[];
}

/** Parses the words after a command's name. */
export function parse(command: Command, words: readonly string[], name: string): Parsed {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const { tokens } = parseArgs({
    args: [...before],
    options: { ...wireOptions(command.options), help: { type: "boolean", short: "h" } },
    strict: false,
    tokens: true,
  });
  const found = new Found(command, name);
  const args: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind === "option") found.take(token);
  }
  const after = end < 0 ? [] : words.slice(end + 1);
  if (command.rest === undefined) args.push(...after);
  const parsed = { help: found.help, options: found.values(), args, rest: command.rest === undefined ? [] : after };
  if (!parsed.help) checkArguments(command, args, name);
  return parsed;
}

function wireOptions(options: Options): { [name: string]: { type: "string" | "boolean"; short?: string } } {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      { type: type === "text" || type === "list" ? "string" : "boolean", ...(short === undefined ? {} : { short }) },
    ]),
  );
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

class Found {
  help = false;
  readonly #options: Options;
  readonly #command: string;
  readonly #handsOn: boolean;
  readonly #given = new Map<string, string | boolean | string[]>();

  constructor({ options, rest }: Command, command: string) {
    this.#options = options;
    this.#command = command;
    this.#handsOn = rest !== undefined;
  }

  take({ name, rawName, value }: OptionToken): void {
    if (name === "help") {
      this.help = true;
      return;
    }
    const option = this.#options[name];
    if (option !== undefined) return this.#set(name, option, value);
    const denied = name.startsWith("no-") ? this.#options[name.slice(3)] : undefined;
    if (denied?.type === "flag" || denied?.type === "yes-no") return void this.#given.set(name.slice(3), false);
    throw new CliError("Usage", `${this.#command} has no option ${rawName}${this.#cure(rawName)}`);
  }

  #cure(rawName: string): string {
    const meant = suggest(rawName, this.#names());
    if (meant !== "" || !this.#handsOn) return meant;
    return `; what it hands on follows --, as in ${this.#command} -- ${rawName}`;
  }

  values(): Parsed["options"] {
    return Object.fromEntries(
      Object.entries(this.#options).map(([name, option]) => [name, this.#given.get(name) ?? absent(option)]),
    );
  }

  #names(): string[] {
    return [...Object.keys(this.#options), "help"].map((name) => `--${name}`);
  }

  #set(name: string, option: Option, value: string | undefined): void {
    switch (option.type) {
      case "flag":
      case "yes-no":
        this.#given.set(name, toBoolean(name, value));
        return;
      case "list": {
        const before = this.#given.get(name);
        const text = needed(name, value);
        const items = option.commas === "kept" ? [text] : text.split(",");
        this.#given.set(name, [...(Array.isArray(before) ? before : []), ...items.filter((item) => item !== "")]);
        return;
      }
      case "text":
        this.#given.set(name, chosen(name, needed(name, value), option.choices));
    }
  }
}

function absent(option: Option): string | boolean | readonly string[] | undefined {
  switch (option.type) {
    case "flag":
      return false;
    case "yes-no":
      return undefined;
    case "list":
      return [];
    case "text":
      return option.default;
  }
}

function toBoolean(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "true") return true;
  if (value === "false") return false;
  throw new CliError("Usage", `--${name} is yes or no: write --${name} or --no-${name}, not ${JSON.stringify(value)}`);
}

function needed(name: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new CliError("Usage", `--${name} needs a value`);
}

function chosen(name: string, value: string, choices: readonly string[] | undefined): string {
  if (choices === undefined || choices.includes(value)) return value;
  throw new CliError(
    "Usage",
    `--${name} cannot be ${JSON.stringify(value)}${suggest(value, choices)}; choose ${choices.join(", ")}`,
  );
}

function checkArguments(command: Command, args: readonly string[], name: string): void {
  const wanted = command.arguments ?? [];
  const missing = wanted.slice(args.length).find(({ presence }) => presence === "required");
  if (missing !== undefined) {
    throw new CliError("Usage", `${name} needs ${missing.name}: ${missing.describe}`);
  }
  const many = wanted.at(-1)?.presence === "many";
  if (!many && args.length > wanted.length) {
    const surplus = args[wanted.length] ?? "";
    const hint = command.options["name"]?.type === "text" ? `say --name ${surplus}` : `see ${name} --help`;
    throw new CliError("Usage", `${name} cannot use the argument ${JSON.stringify(surplus)}; ${hint}`);
  }
}
