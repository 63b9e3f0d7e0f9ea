/** Lets an operator create and upgrade the CRDs of its own resources before it starts. */
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { AnyKind, Api } from "../api.ts";
import type { Controller } from "../define.ts";
import { RuntimeError } from "../errors.ts";
import { crdName, resourcesAmong } from "../resource.ts";

/** The kind of CRDs. */
export const CustomResourceDefinition: AnyKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

/** How long to wait for the server to serve a new kind, in milliseconds. */
const PATIENCE = 30_000;
const LOOK = 100;

/** What CRDs are installed with. */
export interface InstallOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly manager: string;
  /** Adds what only this run knows, such as where versions are converted. */
  readonly complete?: ((crd: Crd, resource: Resource) => Crd) | undefined;
}

/** Applies the CRD of each controller's own kind and waits until the server serves it. Nothing is ever deleted. */
export async function installCrds(
  controllers: readonly Controller[],
  { api, clock, manager, complete = (crd) => crd }: InstallOptions,
): Promise<void> {
  for (const resource of resourcesAmong(controllers.map(({ kind }) => kind))) {
    await api.apply(CustomResourceDefinition, complete(resource.toCrd(), resource), { manager, force: true });
    await untilServed(api, clock, crdName(resource));
  }
}

async function untilServed(api: Api, clock: Clock, name: string): Promise<void> {
  const end = clock.now() + PATIENCE;
  while (clock.now() < end) {
    const crd = (await api.get(CustomResourceDefinition, { namespace: "", name })) as {
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    };
    if (crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true)
      return;
    await sleep(clock, LOOK);
  }
  throw new RuntimeError(
    "KindMissing",
    `Cannot start: the server does not serve ${name} yet. Look at the conditions of its CRD.`,
  );
}
