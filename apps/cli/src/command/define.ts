/** What a command is: its arguments and options as data, from which parsing, help and completion follow, and the function that runs. */
import type { Terminal } from "../terminal.ts";

interface AnyOption {
  readonly describe: string;
  /** One letter. */
  readonly short?: string;
}

/** `--name value`. */
export interface TextOption extends AnyOption {
  readonly type: "text";
  /** What stands for the value in help: `FILE`. */
  readonly value?: string;
  readonly default?: string;
  /** The only values that are understood. */
  readonly choices?: readonly string[];
}

/** `--name a --name b` or `--name a,b`. */
export interface ListOption extends AnyOption {
  readonly type: "list";
  readonly value?: string;
}

/** `--name`, or `--no-name`, or `--name=false`. */
export interface FlagOption extends AnyOption {
  readonly type: "flag";
}

/** A flag of which it matters whether it was said at all. */
export interface YesNoOption extends AnyOption {
  readonly type: "yes-no";
}

/** One option of a command. */
export type Option = TextOption | ListOption | FlagOption | YesNoOption;

/** The options of a command by name. */
export type Options = { readonly [name: string]: Option };

type ValueOf<O extends Option> = O extends FlagOption
  ? boolean
  : O extends YesNoOption
    ? boolean | undefined
    : O extends ListOption
      ? readonly string[]
      : O extends { readonly default: string }
        ? string
        : string | undefined;

/** The values of options as a command gets them. */
export type OptionValues<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** One positional argument. */
export interface Argument {
  readonly name: string;
  readonly describe: string;
  readonly presence: "required" | "optional" | "many";
}

/** A line to copy, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** What a command is run with. */
export interface Call<O extends Options = Options> {
  readonly options: OptionValues<O>;
  readonly args: readonly string[];
  /** What followed `--`, untouched, where a command hands it on. */
  readonly rest: readonly string[];
  readonly terminal: Terminal;
}

/** A command as its file states it. The table of commands knows its name and its one-line summary. */
export interface Command<O extends Options = Options> {
  /** More than the summary: a sentence or two. */
  readonly describe?: string;
  readonly arguments?: readonly Argument[];
  readonly options: O;
  /** What becomes of the words after `--`: unless they are handed on, they are arguments. */
  readonly rest?: "handed on";
  readonly examples: readonly [Example, ...Example[]];
  /** What could stand for an argument, asked by shell completion. */
  readonly complete?: (call: { readonly args: readonly string[]; readonly cwd: string }) => Promise<readonly string[]>;
  /** It tells what goes on itself, as what runs until it is stopped does; all others are named after a second. */
  readonly progress?: "own";
  /** Answers with an exit code; nothing means 0. */
  readonly run: (call: Call<O>) => Promise<number | void>;
}

/** States a command, so that the values of its options are typed. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  // The frame hands over exactly the values that the options describe.
  return command as unknown as Command;
}
