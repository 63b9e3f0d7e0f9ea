/** `capstan init`: creates a project. */
import { readFile, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import {
  type ApiInputs,
  checkGroup,
  checkKind,
  checkProject,
  checkProjectName,
  currentTemplates,
  type Inputs,
  renderProject,
} from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { isSince, oldestNodeOfProjects } from "../node-version.ts";
import { report } from "../project/apply.ts";
import { fullGroup, kindOptions, shapeOf, shapeOptions, type Shape } from "../project/api-options.ts";
import { exists } from "../project/disk.ts";
import { writeChanges } from "../project/write.ts";
import { licenceHeader } from "../project/licence.ts";
import { linkCheckout } from "../project/link.ts";
import { askText } from "../project/questions.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "./version.ts";

/** Creates a project. */
export const init: Command = defineCommand({
  describe:
    "Thirteen files: one kind with a controller and a test that passes. Nothing is written into a folder that has a project.",
  arguments: [
    { name: "NAME", describe: "the folder and name of the project; this folder if left out", presence: "optional" },
  ],
  options: {
    ...kindOptions,
    domain: { type: "text", value: "DOMAIN", default: "example.com", describe: "what the names of groups end with" },
    ...shapeOptions,
    bare: { type: "flag", describe: "no kind yet: add the first with capstan create api" },
    "project-name": { type: "text", value: "NAME", describe: "the name, where it differs from the folder's" },
    "watch-namespace": { type: "flag", describe: "watch only the namespace that the operator runs in" },
    license: {
      type: "text",
      choices: ["none", "apache2", "mit"],
      default: "none",
      value: "NAME",
      describe: "the licence header of sources: none, apache2 or mit",
    },
    "license-file": { type: "text", value: "FILE", describe: "a header of your own" },
    owner: { type: "text", value: "NAME", describe: "the copyright holder in the licence header" },
    capstan: {
      type: "text",
      value: "PATH",
      describe: "use the framework of this checkout instead of the published one (CAPSTAN_CHECKOUT)",
    },
  },
  examples: [
    {
      line: "capstan init memcached-operator --group cache --kind Memcached",
      does: "A project with the kind Memcached in cache.example.com",
    },
    {
      line: "capstan init web --domain acme.org --kind Site --image nginx:1.29 --image-port 80",
      does: "A ready-made controller that runs an image",
    },
    { line: "capstan init", does: "Ask, and write into this folder" },
  ],
  run: async ({ options, args: [folder], terminal }) => {
    const checkout = options.capstan ?? terminal.env["CAPSTAN_CHECKOUT"];
    const root = resolve(terminal.cwd, folder ?? ".");
    await mustBeFree(root);
    const name =
      options["project-name"] ?? (folder === undefined ? await askName(terminal, basename(root)) : basename(root));
    checkProjectName(name);
    const header = await licenceHeader({ ...options, cwd: terminal.cwd, year: new Date().getFullYear() });
    const inputs: Inputs = {
      templates: currentTemplates,
      name,
      domain: options.domain,
      capstan: checkout === undefined ? await ownVersion() : `file:${resolve(terminal.cwd, checkout)}`,
      namespaced: options["watch-namespace"],
      ...(header === undefined ? {} : { header }),
      apis: options.bare ? [] : [await firstApi(options, terminal)],
    };
    checkProject(inputs);
    const changes = [...renderProject(inputs)].map(([path, text]) => ({ path, action: "create" as const, text }));
    await mustNotOverwrite(root, changes);
    await writeChanges(root, changes);
    if (checkout !== undefined) await linkCheckout(root, resolve(terminal.cwd, checkout));
    report(changes, terminal);
    if (options.kind === undefined && !terminal.isInteractive) tellKind(inputs, terminal);
    tellNode(terminal);
    const steps = [...(folder === undefined ? [] : [`cd ${folder}`]), "npm install", "npm test", "npx capstan dev"];
    terminal.out(`\nNext:\n${steps.map((step) => `  ${step}\n`).join("")}`);
  },
});

/** Prints the default kind if the user named none. */
function tellKind({ apis }: Inputs, terminal: Terminal): void {
  for (const { kind, group, version } of apis)
    terminal.out(`\nIts kind is ${kind} (${group}/${version}); --kind and --group name another one.\n`);
}

/** Warns if this Node can create the project but not run its tests. */
function tellNode(terminal: Terminal): void {
  const version = process.versions.node;
  if (isSince(version, oldestNodeOfProjects)) return;
  terminal.err(
    `\nThe tests of this project need Node ${oldestNodeOfProjects.join(".")} or newer, and this is Node ${version}: install a newer one first.\n`,
  );
}

function askName(terminal: Terminal, usual: string): Promise<string> {
  return askText(terminal, { question: "Name of the project", usual, check: checkProjectName });
}

interface First extends Shape {
  readonly group: string | undefined;
  readonly version: string | undefined;
  readonly kind: string | undefined;
  readonly domain: string;
}

async function firstApi(options: First, terminal: Terminal): Promise<ApiInputs> {
  const kind = options.kind ?? (await askText(terminal, { question: "Kind", usual: "AppService", check: checkKind }));
  const checkPart = (group: string): void => checkGroup(fullGroup(group, options.domain));
  const group = options.group ?? (await askText(terminal, { question: "Group", usual: "app", check: checkPart }));
  return {
    group: fullGroup(group, options.domain),
    version: options.version ?? "v1alpha1",
    kind,
    origin: "new",
    controllers: [""],
    ...shapeOf(options),
  };
}

async function mustBeFree(root: string): Promise<void> {
  if (await exists(join(root, "capstan.json"))) {
    throw new CliError(
      "Project",
      `${root} has a project already: add to it with capstan create api, or choose another folder`,
    );
  }
  if ((await exists(root)) && !(await isFolder(root)))
    throw new CliError("Project", `${root} is a file: choose another name`);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    await readdir(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return false;
    throw error;
  }
}

async function mustNotOverwrite(
  root: string,
  changes: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  for (const { path, text } of changes) {
    if (!(await exists(join(root, path)))) continue;
    if ((await readFile(join(root, path), "utf8")) === text) continue;
    throw new CliError(
      "Project",
      `${join(root, path)} is in the way: nothing was written; move it or choose another folder`,
    );
  }
}
