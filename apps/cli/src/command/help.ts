/** Prints help: the list of commands, and one page for each. */
import type { Style } from "../output/style.ts";
import { wrap } from "../output/wrap.ts";
import type { Command, Option } from "./define.ts";

/** A line in the list of commands. */
export interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly topic: string;
}

/** The page that `capstan --help` shows. */
export function formatOverview(commands: readonly Listed[], { bold, dim }: Style): string {
  const topics = [...new Set(commands.map(({ topic }) => topic))];
  const width = Math.max(...commands.map(({ name }) => name.length));
  const sections = topics.map((topic) => {
    const lines = commands
      .filter((command) => command.topic === topic)
      .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return `${bold(topic)}\n${lines.join("\n")}\n`;
  });
  return [
    "Capstan makes, runs and ships Kubernetes operators in TypeScript.\n",
    `Usage: capstan <command> [options]\n`,
    ...sections,
    bold("Examples"),
    "  capstan init memcached-operator --group cache --kind Memcached",
    "  capstan dev",
    `  capstan generate manifests\n`,
    dim(
      "capstan <command> --help shows options and examples of a command;\ncapstan help exit-codes lists the exit codes.",
    ),
    "",
  ].join("\n");
}

/** The style and width of a page. */
export interface Page {
  readonly style: Style;
  readonly columns: number;
}

/** The page of one command. */
export function formatCommand({ name, summary }: Omit<Listed, "topic">, command: Command, page: Page): string {
  const { bold } = page.style;
  const args = (command.arguments ?? []).map(({ name: arg, presence }) =>
    presence === "required" ? ` ${arg}` : ` [${arg}${presence === "many" ? "..." : ""}]`,
  );
  const options: readonly (readonly [string, Option])[] = [
    ...Object.entries(command.options),
    ["help", { type: "flag", short: "h", describe: "show this page" }],
  ];
  return [
    `${summary}${command.describe === undefined ? "" : `\n${wrap(command.describe, page.columns).join("\n")}`}\n`,
    `Usage: capstan ${name}${args.join("")} [options]\n`,
    ...section(
      bold("Arguments"),
      rows(
        (command.arguments ?? []).map(({ name: arg, describe }) => [arg, describe]),
        page,
      ),
    ),
    ...section(
      bold("Options"),
      rows(
        options.map(([option, facts]) => [formatOption(option, facts), described(facts)]),
        page,
      ),
    ),
    bold("Examples"),
    ...command.examples.map(({ line, does }) => `  ${line}\n      ${does}`),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines, ""];
}

/** Two columns; the right one wraps. */
function rows(pairs: readonly (readonly [string, string])[], { columns }: Page): string[] {
  const width = Math.min(30, Math.max(0, ...pairs.map(([left]) => left.length)));
  const indent = " ".repeat(width + 4);
  return pairs.map(
    ([left, right]) => `  ${left.padEnd(width)}  ${wrap(right, columns - indent.length).join(`\n${indent}`)}`,
  );
}

function formatOption(name: string, option: Option): string {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  switch (option.type) {
    case "flag":
      return `${short}--${name}`;
    case "yes-no":
      return `${short}--[no-]${name}`;
    case "text":
    case "list":
      return `${short}--${name} ${option.value ?? "TEXT"}`;
  }
}

function described(option: Option): string {
  if (option.type !== "text") return option.describe;
  const { choices = [], default: usual } = option;
  // Most descriptions already contain the choices.
  const isSaid = choices.every((choice) => option.describe.includes(choice));
  const among = isSaid ? "" : `: ${choices.join(", ")}`;
  return `${option.describe}${among}${usual === undefined ? "" : ` (${usual})`}`;
}
