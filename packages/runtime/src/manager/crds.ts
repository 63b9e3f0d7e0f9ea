/** Lets an operator create and upgrade the CRDs of its own resources before it starts. */
import type { KubeObject } from "@capstan/model";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { AnyKind, Api } from "../api.ts";
import type { Controller } from "../define.ts";
import { RuntimeError } from "../errors.ts";

const CustomResourceDefinition: AnyKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

/** A kind that knows its CRD. */
interface WithCrd {
  toCrd(): KubeObject;
}

function hasCrd(kind: object): kind is WithCrd {
  return "toCrd" in kind && typeof kind.toCrd === "function";
}

/** How long to wait for the server to serve a new kind, in milliseconds. */
const PATIENCE = 30_000;
const LOOK = 100;

/** Applies the CRD of each controller's own kind and waits until the server serves it. */
export async function installCrds(
  controllers: readonly Controller[],
  { api, clock, manager }: { readonly api: Api; readonly clock: Clock; readonly manager: string },
): Promise<void> {
  const kinds = new Map(controllers.map(({ kind }) => [`${kind.plural}.${kind.group}`, kind]));
  for (const [name, kind] of kinds) {
    if (!hasCrd(kind)) continue;
    await api.apply(CustomResourceDefinition, kind.toCrd(), { manager, force: true });
    await untilServed(api, clock, name);
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
