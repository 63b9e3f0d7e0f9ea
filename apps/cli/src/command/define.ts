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
  /** The placeholder of the value in help: `FILE`. */
  readonly value?: string;
  readonly default?: string;
  /** The only accepted values. */
  readonly choices?: readonly string[];
}

/** `--name a --name b` or `--name a,b`. */
export interface ListOption extends AnyOption {
  readonly type: "list";
  readonly value?: string;
  /** A comma is part of the value. */
  readonly commas?: "kept";
}

/** `--name`, or `--no-name`, or `--name=false`. */
export interface FlagOption extends AnyOption {
  readonly type: "flag";
}

/** A flag that distinguishes "not given" from "false". */
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

/** The values of options as a command receives them. */
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

/** The input of a command's `run`. */
export interface Call<O extends Options = Options> {
  readonly options: OptionValues<O>;
  readonly args: readonly string[];
  /** The words after `--`, unparsed, for commands with `rest: "handed on"`. */
  readonly rest: readonly string[];
  readonly terminal: Terminal;
}

/** A command as its file declares it. The table of commands has its name and its one-line summary. */
export interface Command<O extends Options = Options> {
  /** A sentence or two in addition to the summary. */
  readonly describe?: string;
  readonly arguments?: readonly Argument[];
  readonly options: O;
  /** What happens to the words after `--`. Default: they are arguments. */
  readonly rest?: "handed on";
  readonly examples: readonly [Example, ...Example[]];
  /** Candidates for an argument, for shell completion. */
  readonly complete?: (call: { readonly args: readonly string[]; readonly cwd: string }) => Promise<readonly string[]>;
  /** The command reports its own progress, as those that run until stopped do. For all others the frame reports it after a second. */
  readonly progress?: "own";
  /** Returns an exit code. Default: 0. */
  readonly run: (call: Call<O>) => Promise<number | void>;
}

/** Declares a command and types the values of its options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  // The frame passes exactly the values that the options describe.
  return command as unknown as Command;
}
