/** The source of one kind: its resource and its controller, in one file that a newcomer can read. */
import type { ApiInputs, Inputs } from "../project/inputs.ts";
import { type Words, wordsOf } from "../project/names.ts";
import { earlyImageController, earlyPodController, earlyPodSpec } from "./first-templates.ts";
import { imageController, imageSpec, imageStatus } from "./image.ts";
import { podController, podSpec, podStatus } from "./pod.ts";

/** A file's text under the project's header. */
export function withHeader({ header }: Inputs, text: string): string {
  return header === undefined ? text : `${header}\n\n${text}`;
}

/** The name of a kind's file; where two groups have the kind, the group is part of it. */
export function fileOf({ apis }: Inputs, api: ApiInputs): string {
  const { file } = wordsOf(api.kind);
  const first = apis.find(({ kind }) => kind === api.kind);
  return first === undefined || first.group === api.group ? file : `${file}-${api.group.split(".", 1)[0]}`;
}

/** What the tests of new kinds call things. */
const namesOfTests: ReadonlySet<string> = new Set(["assert", "deployment", "pod", "test", "testOperator", "world"]);

/** The value names of an API in main.ts; they include the group if another group has the same kind. */
export function valueOf(inputs: Inputs, api: ApiInputs, controller = ""): string {
  const { value: plain, file } = wordsOf(api.kind, api.plural);
  const value = api.origin === "new" && namesOfTests.has(plain) ? `${plain}Controller` : plain;
  const clash = fileOf(inputs, api) !== file;
  return `${value}${clash ? groupWord(api) : ""}${capital(camel(controller))}`;
}

/** The first part of a group's name, as the end of a value's name. */
export function groupWord({ group }: Pick<ApiInputs, "group">): string {
  return capital(camel(group.split(".", 1)[0] ?? ""));
}

/** What a new kind's controller makes, and what sources call it: a kind of the same name leaves it another one. */
export function childOf({ kind, image }: { readonly kind: string; readonly image?: object | undefined }): Child {
  const built = image === undefined ? "Pod" : "Deployment";
  const module = image === undefined ? "capstan/kinds/v1" : "capstan/kinds/apps/v1";
  const name = kind === built ? `Kubernetes${built}` : built;
  return {
    kind: built,
    name,
    imported: `import { ${name === built ? name : `${built} as ${name}`} } from "${module}";`,
  };
}

/** A built-in kind as a source uses it. */
export interface Child {
  readonly kind: "Pod" | "Deployment";
  /** The name of the value. */
  readonly name: string;
  readonly imported: string;
}

/** Whether a kind is called like the built-in kind that its controller makes. */
export function isNamedAsItsChild(api: ApiInputs): boolean {
  return api.controllers.includes("") && childOf(api).kind === api.kind;
}

/** The file of a kind. */
export function sourceFile(inputs: Inputs, api: ApiInputs): string {
  const words = wordsOf(api.kind, api.plural);
  const parts = [imports(api), kindValue(inputs, api, words)];
  if (api.controllers.includes("")) parts.push(mainController(inputs, api, words));
  return withHeader(inputs, parts.filter((part) => part !== "").join("\n"));
}

/** The file of a further controller of a kind. */
export function extraControllerFile(inputs: Inputs, api: ApiInputs, name: string): string {
  const { kind } = wordsOf(api.kind, api.plural);
  const from = api.origin === "core" ? kindModule(api) : `./${fileOf(inputs, api)}.ts`;
  return withHeader(
    inputs,
    `/** ${name}: another controller for ${kind}. */
import { controller } from "capstan";
import { ${kind} } from "${from}";

export const ${valueOf(inputs, api, name)} = controller(${kind}, { name: "${name}" }, async ({ object, log }) => {
  log.info("seen", { name: object.metadata.name });
});
`,
  );
}

function imports({ origin, controllers, image, kind, ...api }: ApiInputs): string {
  const run = controllers.includes("");
  const sentence = {
    new: "its shape and what is done for each object",
    core: "what is done for each object",
    external: "a kind that another operator defines",
  }[origin];
  const opening = `/** ${kind}: ${sentence}. */\n`;
  switch (origin) {
    case "new":
      return `${opening}import { ${run ? "controller, " : ""}defineResource, s } from "capstan";\n${run ? `${childOf({ kind, image }).imported}\n` : ""}`;
    case "core":
      return `${opening}import { controller } from "capstan";\nimport { ${kind} } from "${kindModule(api)}";\n`;
    case "external":
      return `${opening}import { ${run ? "controller, " : ""}type Kind, type StoredObject } from "capstan";\n`;
  }
}

function kindModule({ group, version }: Pick<ApiInputs, "group" | "version">): string {
  return `capstan/kinds/${group === "" ? "" : `${group}/`}${version}`;
}

function kindValue(inputs: Inputs, api: ApiInputs, words: Words): string {
  switch (api.origin) {
    case "new":
      return resource(inputs, api, words);
    case "core":
      return "";
    case "external":
      return `// Its CRD comes with the operator that defines it; say more about its objects in the type, if you read more of them.
export const ${api.kind}: Kind<StoredObject, object, "${api.scope}"> = {
  group: "${api.group}",
  version: "${api.version}",
  kind: "${api.kind}",
  plural: "${words.plural}",
  scope: "${api.scope}",
};
`;
  }
}

function schemas({ templates }: Inputs, api: ApiInputs): string {
  if (api.image !== undefined) return `${imageSpec(api.image)}\n${imageStatus}`;
  return `${(templates < 3 ? earlyPodSpec : podSpec)(api)}\n${podStatus}`;
}

function resource(inputs: Inputs, api: ApiInputs, { kind, plural }: Words): string {
  const { image, webhooks = {} } = api;
  const stored = webhooks.conversion;
  const version = stored === undefined ? `  version: "${api.version}",\n` : "";
  return `${schemas(inputs, api)}
export const ${kind} = defineResource({
  group: "${api.group}",
${version}  kind: "${kind}",
${api.plural === undefined ? "" : `  plural: "${plural}",\n`}${api.scope === "Cluster" ? `  scope: "Cluster",\n` : ""}${
    stored === undefined
      ? `  spec,\n  status,\n  columns: ${columns(api)},\n`
      : `  versions: {
    ${api.version}: { spec, status, columns: ${columns(api)} },
    ${stored}: { spec, status, columns: ${columns(api)}, storage: true },
  },
  convert: {
    "${api.version}->${stored}": (from) => from,
    "${stored}->${api.version}": (from) => from,
  },
`
  }  conditions: { Ready: "${image === undefined ? "The pod runs" : "As many pods run as were asked for"}" },
${webhooks.defaulting === true ? defaulting(api) : ""}${webhooks.validating === true ? validating : ""}});
`;
}

function columns({ image }: ApiInputs): string {
  return image === undefined
    ? `{ Image: "spec.image", Ready: "condition:Ready" }`
    : `{ Size: "spec.size", Ready: "condition:Ready" }`;
}

function defaulting({ image }: ApiInputs): string {
  return `  default: (draft) => {
    draft.spec.${image === undefined ? "command" : "size"} ??= ${image === undefined ? `["sleep", "3600"]` : "1"};
  },
`;
}

const validating = `  validate: ({ object, reject }) => {
    if (object.spec.image.endsWith(":latest")) reject("spec.image", "name a version: latest is a different image every day");
  },
`;

function mainController(inputs: Inputs, api: ApiInputs, { kind }: Words): string {
  const value = valueOf(inputs, api);
  if (api.origin !== "new") {
    return `export const ${value} = controller(${kind}, {}, async ({ object, log }) => {
  log.info("seen", { name: object.metadata.name });
});
`;
  }
  const names = { value, child: childOf(api).name };
  const isEarly = inputs.templates < 3;
  if (api.image === undefined) return (isEarly ? earlyPodController : podController)(names, api);
  return (isEarly ? earlyImageController : imageController)(names, api);
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
