/** Reads a command line into one of the commands of this tool; pure, so that every mistake can be tried in a test. */

import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";

import { KubernetesToolError } from "./errors.ts";
import { HELP } from "./help.ts";
import type { CommandName } from "./help.ts";
import { MOST_API_SERVERS, MOST_NODES } from "./network.ts";
import { DEFAULT_RELEASE, findRelease } from "./releases.ts";

/** What the user wants done. */
export type Command =
  | { readonly verb: "help"; readonly topic: CommandName | undefined }
  | {
      readonly verb: "up";
      readonly name: string;
      readonly version: string;
      readonly nodes: number;
      readonly peers: number;
      readonly port: number;
      readonly apiServerFlags: readonly string[];
    }
  | { readonly verb: "down"; readonly which: "all" | { readonly name: string } }
  | { readonly verb: "kubeconfig"; readonly name: string }
  | { readonly verb: "status"; readonly name: string | undefined }
  | { readonly verb: "load"; readonly name: string; readonly archives: readonly string[] }
  | { readonly verb: "exec"; readonly name: string; readonly command: readonly [string, ...string[]] }
  | { readonly verb: "kubectl"; readonly name: string; readonly args: readonly string[] }
  | { readonly verb: "build"; readonly version: string; readonly withNode: boolean }
  | { readonly verb: "images"; readonly folder: string | undefined; readonly only: readonly string[] };

/** The name of a cluster when none is given. */
export const DEFAULT_NAME = "kubernetes";

const NAME = { name: { type: "string", default: DEFAULT_NAME } } as const;
const VERSION = { version: { type: "string", default: DEFAULT_RELEASE.kubernetes } } as const;

/** Parses the arguments after the program's name. */
export function parseCommandLine(args: readonly string[]): Command {
  const [verb, ...rest] = args;
  if (verb === undefined || verb === "help" || verb === "--help" || verb === "-h") return help(rest[0]);
  if (!isCommandName(verb)) {
    throw usage(`there is no command ${JSON.stringify(verb)}: it is one of ${Object.keys(HELP).join(", ")}`);
  }
  if (asksForHelp(verb, rest)) return help(verb);
  return PARSERS[verb](rest);
}

const PARSERS: Readonly<Record<CommandName, (args: string[]) => Command>> = {
  up: parseUp,
  down: parseDown,
  kubeconfig: (args) => ({ verb: "kubeconfig", name: checkName(read(args, NAME).values.name) }),
  status: parseStatus,
  load: parseLoad,
  exec: parseExec,
  kubectl: parseKubectl,
  build: parseBuild,
  images: parseImages,
};

function parseUp(args: string[]): Command {
  const { values } = read(args, {
    ...NAME,
    ...VERSION,
    node: { type: "boolean", default: false },
    nodes: { type: "string" },
    "control-plane-peers": { type: "string", default: "0" },
    port: { type: "string", default: "0" },
    "apiserver-flag": { type: "string", multiple: true, default: [] },
  });
  return {
    verb: "up",
    name: checkName(values.name),
    version: findRelease(values.version).kubernetes,
    nodes: number("--nodes", values.nodes ?? (values.node ? "1" : "0"), MOST_NODES),
    peers: number("--control-plane-peers", values["control-plane-peers"], MOST_API_SERVERS - 1),
    port: number("--port", values.port, 65_535),
    apiServerFlags: values["apiserver-flag"],
  };
}

function parseDown(args: string[]): Command {
  const { values } = read(args, { ...NAME, all: { type: "boolean", default: false } });
  return { verb: "down", which: values.all ? "all" : { name: checkName(values.name) } };
}

function parseStatus(args: string[]): Command {
  const { values } = read(args, { name: { type: "string" } });
  return { verb: "status", name: values.name === undefined ? undefined : checkName(values.name) };
}

function parseLoad(args: string[]): Command {
  const { values, positionals } = read(args, NAME, true);
  if (positionals.length === 0) throw usage("load needs the path of at least one OCI archive (see load --help)");
  return { verb: "load", name: checkName(values.name), archives: positionals };
}

function parseExec(args: string[]): Command {
  const { values, positionals } = read(args, NAME, true);
  const [program, ...rest] = positionals;
  if (program === undefined) throw usage("exec needs a command after --, such as: exec -- ip address");
  return { verb: "exec", name: checkName(values.name), command: [program, ...rest] };
}

/** All arguments are kubectl's own; only a leading --name is ours. */
function parseKubectl(args: string[]): Command {
  const [first, second, ...rest] = args;
  if (first === "--name" && second !== undefined) return { verb: "kubectl", name: checkName(second), args: rest };
  if (first?.startsWith("--name=")) return { verb: "kubectl", name: checkName(first.slice(7)), args: args.slice(1) };
  return { verb: "kubectl", name: DEFAULT_NAME, args };
}

function parseBuild(args: string[]): Command {
  const { values } = read(args, { ...VERSION, node: { type: "boolean", default: false } });
  return { verb: "build", version: findRelease(values.version).kubernetes, withNode: values.node };
}

function parseImages(args: string[]): Command {
  const { values, positionals } = read(args, { folder: { type: "string" } }, true);
  return { verb: "images", folder: values.folder, only: positionals };
}

function read<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options, positionals = false) {
  try {
    return parseArgs({ args, options, allowPositionals: positionals, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error), error);
  }
}

/** A name becomes part of paths and cgroups, so it is kept as plain as a label. */
function checkName(name: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) return name;
  throw usage(
    `${JSON.stringify(name)} cannot be the name of a cluster: use at most 40 small letters, digits and hyphens, such as --name try-1`,
  );
}

function number(option: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw usage(`${option} ${JSON.stringify(text)} is not a whole number from 0 to ${most}`);
}

/** Arguments after -- belong to another program, and so do all of kubectl's after the first. */
function asksForHelp(verb: CommandName, args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = verb === "kubectl" ? args.slice(0, 1) : end < 0 ? args : args.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

function help(topic: string | undefined): Command {
  return { verb: "help", topic: topic !== undefined && isCommandName(topic) ? topic : undefined };
}

function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(HELP, word);
}

function usage(message: string, cause?: unknown): KubernetesToolError {
  return new KubernetesToolError("usage", message, { cause });
}
