/** Creates and upgrades the CRDs of an operator's own resources before it starts, and never downgrades them. */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { AnyKind, Api } from "../api.ts";
import type { Controller } from "../define.ts";
import { RuntimeError } from "../errors.ts";
import { failureOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { crdName, resourcesAmong } from "../resource.ts";
import { annotationsOf, digestOf, precedenceOf, definitionHistoryOf, replacing } from "./order.ts";
import type { DefinitionHistory } from "./order.ts";

/** The kind of CRDs. */
export const CustomResourceDefinition: AnyKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

/** How long to wait for the server to serve a new kind, and for concurrent changes of the same CRD, in milliseconds. */
const PATIENCE = 30_000;
const LOOK = 100;

export interface InstallOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly manager: string;
  /** The version of the operator: a CRD that a later one has applied is not changed. */
  readonly version?: string | undefined;
  /** Applies CRDs also over those of a later version, for development. Default: false. */
  readonly backwards?: boolean | undefined;
  /** Logs CRDs that are not changed. */
  readonly log?: Pick<Log, "warn"> | undefined;
  /** Adds settings of this run, such as the conversion webhook. */
  readonly complete?: ((crd: Crd, resource: Resource) => Crd) | undefined;
}

/** A stored CRD. */
interface StoredCrd extends StoredObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Applies the CRD of each controller's own kind and waits until the server serves it. Nothing is ever deleted. */
export async function installCrds(controllers: readonly Controller[], options: InstallOptions): Promise<void> {
  for (const resource of resourcesAmong(controllers.map(({ kind }) => kind))) {
    const stored = await install(resource, options);
    if (!isServed(stored)) await untilServed(options, crdName(resource));
  }
}

/** A concurrent change of the CRD leads to another attempt: only the state that was checked is replaced. */
async function install(resource: Resource, options: InstallOptions): Promise<StoredCrd> {
  const { clock, log } = options;
  const end = clock.now() + PATIENCE;
  const crd = resource.toCrd();
  const ours = { version: options.version, definition: digestOf(crd) };
  for (;;) {
    const found = await read(options.api, crdName(resource));
    const known = found && definitionHistoryOf(found.metadata.annotations);
    const verdict = options.backwards === true ? replacing(ours, known) : precedenceOf(ours, known);
    if (found !== undefined && verdict.is === "earlier") {
      log?.warn(`left the CRD ${crdName(resource)} as it is: ${verdict.because}. ${TO_GO_BACK}`);
      return found;
    }
    try {
      if (verdict.is === "later") return await write(resource, { crd, found, lineage: verdict.lineage }, options);
    } catch (error) {
      if (failureOf(error) !== "conflict" || clock.now() > end) throw error;
    }
    await sleep(clock, LOOK);
  }
}

const TO_GO_BACK =
  "Fields that are new there keep their values; to go back all the same, run with --install-crds=force.";

interface Change {
  readonly crd: Crd;
  readonly found: StoredCrd | undefined;
  readonly lineage: DefinitionHistory;
}

function write(resource: Resource, { crd, found, lineage }: Change, options: InstallOptions): Promise<StoredCrd> {
  const { api, manager, complete = (whole) => whole } = options;
  const whole = complete(crd, resource);
  const object = { ...whole, metadata: { ...whole.metadata, annotations: annotationsOf(lineage) } };
  const { resourceVersion } = found?.metadata ?? {};
  const over = resourceVersion === undefined ? "nothing" : { resourceVersion };
  return api.apply(CustomResourceDefinition, object, { manager, force: true, over });
}

async function read(api: Api, name: string): Promise<StoredCrd | undefined> {
  try {
    return await api.get(CustomResourceDefinition, { namespace: "", name });
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  }
}

function isServed({ status }: StoredCrd): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === "Established" && holds === "True") === true;
}

async function untilServed({ api, clock }: InstallOptions, name: string): Promise<void> {
  const end = clock.now() + PATIENCE;
  while (clock.now() < end) {
    const crd = await read(api, name);
    if (crd !== undefined && isServed(crd)) return;
    await sleep(clock, LOOK);
  }
  throw new RuntimeError(
    "KindMissing",
    `Cannot start: the server does not serve ${name} yet. Look at the conditions of its CRD.`,
  );
}
