/** The file that joins the controllers of a project and runs them. One line for each, so that changes merge well. */
import type { Inputs } from "../project/inputs.ts";
import { wordsOf } from "../project/names.ts";
import { fileOf, groupWord, valueOf, withHeader } from "./source.ts";

/** src/main.ts */
export function mainFile(inputs: Inputs): string {
  const controllers = inputs.apis.flatMap((api) =>
    api.controllers.map((name) => ({
      value: valueOf(inputs, api, name),
      file: `./${fileOf(inputs, api)}${name === "" ? "" : `-${name}`}.ts`,
    })),
  );
  const imports = controllers.map(({ value, file }) => `import { ${value} } from "${file}";\n`).join("");
  const resources = inputs.apis
    .filter(({ origin, controllers: own }) => origin === "new" && own.length === 0)
    .map((api, at, all) => {
      const isTaken = all.findIndex(({ kind }) => kind === api.kind) < at;
      const exported = isTaken ? `${api.kind} as ${api.kind}${groupWord(api)}` : api.kind;
      return `export { ${exported} } from "./${fileOf(inputs, api)}.ts";\n`;
    })
    .join("");
  const list = controllers.map(({ value }) => `    ${value},\n`).join("");
  return withHeader(
    inputs,
    `/** The operator: every controller, and how it is started. */
import { operator } from "capstan";
${imports}${resources}
export const app = operator({
  name: "${inputs.name}",
  controllers: [
${list}  ],
${pathsText(inputs)}});

${startLine(inputs)}
`,
  );
}

/** The webhook paths that were set explicitly. */
function pathsText({ apis }: Inputs): string {
  const lines = apis.flatMap(({ kind, plural, group, controllers, webhooks = {} }) => {
    const { defaultingPath, validatingPath } = webhooks;
    const chosen = [
      ...(defaultingPath === undefined ? [] : [`default: ${JSON.stringify(defaultingPath)}`]),
      ...(validatingPath === undefined ? [] : [`validate: ${JSON.stringify(validatingPath)}`]),
    ];
    // Only what a controller works on is served.
    if (chosen.length === 0 || controllers.length === 0) return [];
    return [`      "${wordsOf(kind, plural).plural}.${group}": { ${chosen.join(", ")} },\n`];
  });
  return lines.length === 0 ? "" : `  webhooks: {\n    paths: {\n${lines.join("")}    },\n  },\n`;
}

/** Since the second generation the program starts itself on every Node, and not only where `import.meta.main` is known. */
function startLine({ templates }: Inputs): string {
  return templates === 1 ? "if (import.meta.main) await app.run();" : "await app.runIfMain(import.meta);";
}
