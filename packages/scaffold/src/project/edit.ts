/** The edits of a project's inputs. Each returns new inputs or fails with a reason. */
import { ScaffoldError } from "../errors.ts";
import { checkProject } from "./collisions.ts";
import type { ApiInputs, Extra, Inputs, WebhookInputs } from "./inputs.ts";

/** Which kind is meant: `Memcached`, or with its group where two groups have it. */
export interface ApiName {
  readonly kind: string;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
}

/** The project with one more kind, or with more controllers for a kind that it has. */
export function addApi(inputs: Inputs, api: ApiInputs): Inputs {
  const present = inputs.apis.find((one) => isSame(one, api));
  const next =
    present === undefined
      ? [...inputs.apis, api]
      : inputs.apis.map((one) => (one === present ? joined(one, api) : one));
  return checked({ ...inputs, apis: next });
}

function joined(present: ApiInputs, more: ApiInputs): ApiInputs {
  const fresh = more.controllers.filter((name) => !present.controllers.includes(name));
  if (more.version !== present.version) throw otherVersion(present, more);
  if (fresh.length === 0) {
    throw new ScaffoldError(
      "Duplicate",
      `${describe(present)} is there already; name another controller with --controller-name`,
    );
  }
  return { ...present, controllers: [...present.controllers, ...fresh] };
}

/** A kind has one set of files, and its versions are converted into each other there. */
function otherVersion(present: ApiInputs, { version }: ApiInputs): ScaffoldError {
  const { kind, origin, webhooks } = present;
  if (origin !== "new") {
    return new ScaffoldError("Duplicate", `${describe(present)} is there already; its version stands in its source`);
  }
  if (webhooks?.conversion === version) {
    return new ScaffoldError("Duplicate", `${kind} has version ${version} already, converted from ${present.version}`);
  }
  return new ScaffoldError(
    "Duplicate",
    webhooks?.conversion === undefined
      ? `${describe(present)} is there already; add version ${version} to it with capstan create webhook --kind ${kind} --conversion ${version}`
      : `${describe(present)} is there already, converted to ${webhooks.conversion}; add version ${version} by hand in \`versions\` and \`convert\``,
  );
}

/** The project without a kind. */
export function removeApi(inputs: Inputs, name: ApiName): Inputs {
  const api = findApi(inputs, name);
  return { ...inputs, apis: inputs.apis.filter((one) => one !== api) };
}

/** The project with webhooks for a kind. */
export function addWebhooks(inputs: Inputs, name: ApiName, webhooks: WebhookInputs): Inputs {
  const api = findApi(inputs, name);
  if (api.origin !== "new") {
    throw new ScaffoldError(
      "NotPossible",
      `${describe(api)} is not defined by this project, so it cannot have webhooks here`,
    );
  }
  if (webhooks.conversion !== undefined && webhooks.conversion === api.version) {
    throw new ScaffoldError("Duplicate", `${describe(api)} has version ${api.version} already; convert to another one`);
  }
  if (webhooks.conversion !== undefined && api.webhooks?.conversion !== undefined) {
    throw new ScaffoldError(
      "NotPossible",
      `${describe(api)} is converted already; add a further version by hand in \`versions\` and \`convert\``,
    );
  }
  const next = { ...api, webhooks: { ...api.webhooks, ...webhooks } };
  return checked({ ...inputs, apis: inputs.apis.map((one) => (one === api ? next : one)) });
}

/** The project with something besides its kinds. */
export function addExtra(inputs: Inputs, extra: Extra): Inputs {
  const { apis, extras = [] } = inputs;
  if (extras.includes(extra)) throw new ScaffoldError("Duplicate", `this project has its ${extra} already`);
  if (extra === "end-to-end-test" && !apis.some(({ origin }) => origin === "new"))
    throw new ScaffoldError("NotPossible", "this project defines no kind to be tried on a cluster; add one first");
  return { ...inputs, extras: [...extras, extra] };
}

/** The one kind of that name. */
export function findApi({ apis }: Inputs, name: ApiName): ApiInputs {
  const matches = apis.filter(
    ({ kind, group, version }) =>
      kind.toLowerCase() === name.kind.toLowerCase() &&
      (name.group === undefined || group === name.group || group.startsWith(`${name.group}.`)) &&
      (name.version === undefined || version === name.version),
  );
  const [api] = matches;
  if (api === undefined) {
    const known = apis.map(({ kind }) => kind).join(", ");
    throw new ScaffoldError(
      "Missing",
      `this project has no kind ${name.kind}${known === "" ? "" : `; it has ${known}`}`,
    );
  }
  if (matches.length > 1) {
    throw new ScaffoldError(
      "Duplicate",
      `several groups have ${name.kind}: say which with --group (${matches.map(({ group }) => group).join(", ")})`,
    );
  }
  return api;
}

function isSame(a: ApiName, b: ApiName): boolean {
  return a.kind === b.kind && a.group === b.group;
}

function describe({ group, version, kind }: ApiInputs): string {
  return `${kind}.${version}${group === "" ? "" : `.${group}`}`;
}

function checked(inputs: Inputs): Inputs {
  checkProject(inputs);
  return inputs;
}
