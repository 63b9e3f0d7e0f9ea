/** What a project was made from: recorded in capstan.json, so that it can be made again by newer templates. */
import { ScaffoldError } from "../errors.ts";
import {
  checkControllerName,
  checkPath,
  checkDomain,
  checkGroup,
  checkKind,
  checkPlural,
  checkProjectName,
  checkVersion,
} from "./names.ts";

/** The origin of a kind: new, built into Kubernetes, or from an external CRD. */
export type Origin = "new" | "core" | "external";

/** A controller that is made for an image. */
export interface ImageInputs {
  readonly image: string;
  readonly port?: number;
  readonly command?: readonly string[];
}

/** What runs in webhooks of a kind. */
export interface WebhookInputs {
  readonly defaulting?: true;
  readonly validating?: true;
  /** The newer version that objects are stored in. */
  readonly conversion?: string;
  /** Where the two functions are answered, where that is not the usual place. */
  readonly defaultingPath?: string;
  readonly validatingPath?: string;
}

/** One kind of a project. */
export interface ApiInputs {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly origin: Origin;
  /** Names of its controllers; `""` is the one that is named like the kind. */
  readonly controllers: readonly string[];
  readonly image?: ImageInputs;
  readonly webhooks?: WebhookInputs;
}

/** What a project can have besides: a test on a whole cluster, a job that upgrades it, a container to work in, a linter. */
export type Extra = "end-to-end-test" | "upgrade-workflow" | "dev-container" | "linter";

const extraNames: ReadonlySet<unknown> = new Set<Extra>([
  "end-to-end-test",
  "upgrade-workflow",
  "dev-container",
  "linter",
]);

/** Everything that a project is made from. */
export interface Inputs {
  /** Which generation of templates wrote the files. */
  readonly templates: number;
  readonly name: string;
  readonly domain: string;
  /** A version of the framework, or the folder of a checkout. */
  readonly capstan: string;
  /** Watch only the namespace that it runs in. */
  readonly namespaced: boolean;
  /** The comment that every source begins with. */
  readonly header?: string;
  readonly extras?: readonly Extra[];
  readonly apis: readonly ApiInputs[];
}

/** The file that inputs are recorded in. */
export const inputsFile = "capstan.json";

/** The inputs as they are recorded. */
export function formatInputs(inputs: Inputs): string {
  return `${JSON.stringify(inputs, undefined, 2)}\n`;
}

/** Reads recorded inputs; what cannot be used is named. */
export function parseInputs(text: string): Inputs {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw bad("it is not JSON", cause);
  }
  if (!isRecord(value) || !Array.isArray(value["apis"])) throw bad("it does not hold a project");
  const { templates, name, domain, capstan, namespaced, header, extras } = value;
  if (
    typeof templates !== "number" ||
    typeof name !== "string" ||
    typeof domain !== "string" ||
    typeof capstan !== "string"
  ) {
    throw bad("templates, name, domain or capstan is missing");
  }
  const inputs: Inputs = {
    templates,
    name,
    domain,
    capstan,
    namespaced: namespaced === true,
    ...(typeof header === "string" ? { header } : {}),
    ...(Array.isArray(extras) ? { extras: extras.filter(isExtra) } : {}),
    apis: value["apis"].map(parseApi),
  };
  checkInputs(inputs);
  return inputs;
}

function isExtra(value: unknown): value is Extra {
  return extraNames.has(value);
}

function parseApi(value: unknown): ApiInputs {
  if (!isRecord(value)) throw bad("an entry of apis is not an object");
  const { group, version, kind, plural, scope, origin, controllers, image, webhooks } = value;
  if (typeof group !== "string" || typeof version !== "string" || typeof kind !== "string") {
    throw bad("an entry of apis lacks group, version or kind");
  }
  return {
    group,
    version,
    kind,
    ...(typeof plural === "string" ? { plural } : {}),
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    origin: origin === "core" || origin === "external" ? origin : "new",
    controllers: Array.isArray(controllers) ? controllers.map(String) : [],
    ...(isRecord(image) && typeof image["image"] === "string" ? { image: image as unknown as ImageInputs } : {}),
    ...(isRecord(webhooks) ? { webhooks } : {}),
  };
}

/** Refuses inputs that no project can be made from. */
export function checkInputs({ name, domain, apis }: Inputs): void {
  checkProjectName(name);
  checkDomain(domain);
  for (const api of apis) checkApi(api);
}

function checkApi({ group, version, kind, plural, origin, controllers, webhooks }: ApiInputs): void {
  if (origin !== "core") checkGroup(group);
  checkVersion(version);
  checkKind(kind);
  if (plural !== undefined) checkPlural(plural);
  if (webhooks?.conversion !== undefined) checkVersion(webhooks.conversion);
  for (const path of [webhooks?.defaultingPath, webhooks?.validatingPath]) if (path !== undefined) checkPath(path);
  for (const name of controllers) if (name !== "") checkControllerName(name);
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function bad(why: string, cause?: unknown): ScaffoldError {
  return new ScaffoldError("BadFile", `cannot use ${inputsFile}: ${why}; restore it from version control`, { cause });
}
