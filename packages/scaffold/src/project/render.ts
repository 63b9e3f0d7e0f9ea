/** A project as files: a pure function of its inputs. Everything that changes a project goes through it. */
import { extraControllerFile, fileOf, sourceFile } from "../templates/source.ts";
import { mainFile } from "../templates/main-file.ts";
import { agentsFile, readmeFile } from "../templates/guides.ts";
import { endToEndTest } from "../templates/end-to-end-test.ts";
import { upgradeWorkflow } from "../templates/upgrade-workflow.ts";
import { devContainer, linterSettings } from "../templates/dev-container.ts";
import {
  containerFile,
  gitignoreFile,
  hasExtra,
  launchFile,
  packageFile,
  tsconfigFile,
  workflowFile,
} from "../templates/root-files.ts";
import { sampleFile } from "../templates/sample.ts";
import { emptyTest, testFile } from "../templates/test-file.ts";
import { ScaffoldError } from "../errors.ts";
import { type ApiInputs, formatInputs, type Inputs, inputsFile } from "./inputs.ts";

/** Texts by path, relative to the project's folder. */
export type Files = ReadonlyMap<string, string>;

/** A generation of templates. */
export type Templates = (inputs: Inputs) => Files;

/** The generation that new projects are made with. */
export const currentTemplates = 4;

/** Every generation that projects were made with: an upgrade needs the old one to know what the user changed. */
const generations: { readonly [generation: number]: Templates } = {
  // The second differs from the first in how src/main.ts starts, the third from both in what controllers do; the fourth has launch
  // settings.
  1: render,
  2: render,
  3: render,
  4: render,
};

/** The files of a project, as the templates that its inputs name write them. */
export function renderProject(inputs: Inputs): Files {
  const templates = generations[inputs.templates];
  if (templates === undefined) {
    throw new ScaffoldError(
      "BadFile",
      `${inputsFile} names templates ${inputs.templates}, which this version does not have; it has ${Object.keys(generations).join(", ")}: use a newer capstan`,
    );
  }
  return templates(inputs);
}

function render(inputs: Inputs): Files {
  return new Map([
    [".github/workflows/ci.yml", workflowFile(inputs)],
    [".gitignore", gitignoreFile],
    ...(inputs.templates < 4 ? [] : [[".vscode/launch.json", launchFile(inputs)] as const]),
    ["AGENTS.md", agentsFile(inputs)],
    ["Containerfile", containerFile],
    ["README.md", readmeFile(inputs)],
    [inputsFile, formatInputs(inputs)],
    ["package.json", packageFile(inputs)],
    ["tsconfig.json", tsconfigFile(inputs)],
    ["src/main.ts", mainFile(inputs)],
    ...(inputs.apis.length === 0 ? [["src/main.test.ts", emptyTest(inputs)] as const] : []),
    ...inputs.apis.flatMap((api) => apiFiles(inputs, api)),
    ...(hasExtra(inputs, "end-to-end-test") ? [["e2e/operator.test.ts", endToEndTest(inputs)] as const] : []),
    ...(hasExtra(inputs, "dev-container") ? [[".devcontainer/devcontainer.json", devContainer] as const] : []),
    ...(hasExtra(inputs, "linter") ? [[".oxlintrc.json", linterSettings] as const] : []),
    ...(hasExtra(inputs, "upgrade-workflow") ? [[".github/workflows/upgrade.yml", upgradeWorkflow] as const] : []),
  ]);
}

/** The files of one kind, in an order that does not depend on its name. */
export function apiFiles(inputs: Inputs, api: ApiInputs): (readonly [string, string])[] {
  const file = fileOf(inputs, api);
  const extras = api.controllers
    .filter((name) => name !== "")
    .map((name) => [`src/${file}-${name}.ts`, extraControllerFile(inputs, api, name)] as const);
  const own = [`src/${file}.ts`, sourceFile(inputs, api)] as const;
  if (api.origin === "core") return api.controllers.includes("") ? [own, ...extras] : extras;
  if (api.origin === "external") return [own, ...extras];
  return [
    own,
    [`src/${file}.test.ts`, testFile(inputs, api)],
    [`samples/${file}.yaml`, sampleFile(inputs, api)],
    ...extras,
  ];
}
