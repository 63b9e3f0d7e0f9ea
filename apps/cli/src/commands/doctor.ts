/** `capstan doctor`: runs every check and prints how to fix those that fail. */
import { type Command, defineCommand } from "../command/define.ts";
import { checks, type Finding } from "../doctor/checks.ts";
import { outputOption, print } from "../output/print.ts";
import { withProgress } from "../output/progress.ts";
import { styleOf } from "../output/style.ts";
import { wrap } from "../output/wrap.ts";

/** Checks this machine. */
export const doctor: Command = defineCommand({
  describe:
    "Nothing is changed. A check that fails says what is missing and what to do; the exit code is 1 if one fails.",
  options: { output: outputOption },
  examples: [
    { line: "capstan doctor", does: "Check Node, kubectl, what pods need, the project and clusters" },
    { line: "capstan doctor -o json", does: "The same for a script" },
  ],
  run: async ({ options: { output }, terminal }) => {
    const findings = await withProgress(terminal, "checking", () =>
      Promise.all(checks.map(async ({ name, run }) => ({ name, ...(await run(terminal)) }))),
    );
    const { green, red, yellow } = styleOf(terminal);
    const marks = { ok: green("ok"), missing: red("missing"), absent: yellow("absent") };
    const rows = findings.map(({ name, state, detail }) => [marks[state], name, detail]);
    await print(
      { terminal, output },
      { value: findings, table: { titles: ["", "CHECK", "DETAIL"], rows, overflow: "wrap" } },
    );
    if (output === "table") terminal.out(todo(findings, terminal.columns));
    return findings.some(({ state }) => state === "missing") ? 1 : 0;
  },
});

/** The steps to take, line by line, for checks with a fix that does not fit the table. */
function todo(findings: readonly (Finding & { readonly name: string })[], columns: number): string {
  return findings
    .filter(({ steps = [] }) => steps.length > 0)
    .map(({ name, steps = [] }) => `\nfor ${name}:\n${steps.map((step) => item(step, columns)).join("")}`)
    .join("");
}

function item(step: string, columns: number): string {
  return `  - ${wrap(step, columns - 4).join("\n    ")}\n`;
}
