/** Finds and removes what `capstan deploy` has created. */
import { type Client, isApiError } from "@capstan/client";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { Namespace } from "@capstan/kinds/v1";
import type { StoredObject } from "@capstan/model";
import { apiOf } from "@capstan/runtime";
import type { Program } from "@capstan/scaffold";
import { CliError } from "../errors.ts";
import { until } from "../lifecycle/wait.ts";
import { find } from "./apply.ts";
import { deployedLabel, type PartKind, partKinds } from "./parts.ts";

/** An object and its kind. */
export interface Part {
  readonly kind: PartKind;
  readonly namespace: string;
  readonly name: string;
}

/** A kind of the operator, and its objects in all namespaces. */
export interface CustomKind {
  readonly kind: PartKind;
  /** Whether `capstan deploy` has created its CRD. */
  readonly isOurs: boolean;
  readonly objects: readonly StoredObject[];
}

/** What a removal is about. */
export interface Deployed {
  /** In the order of removal. CRDs are not among them. */
  readonly parts: readonly Part[];
  readonly customKinds: readonly CustomKind[];
  /** The operator's kinds with the objects that are in the namespace itself, also if it is deployed elsewhere. */
  readonly residents: readonly CustomKind[];
  /** Other namespaces where the same operator is deployed: they need what belongs to the whole cluster. */
  readonly others: readonly string[];
}

/** Finds what was deployed into a namespace. */
export async function findDeployed(client: Client, program: Program, namespace: string): Promise<Deployed> {
  const labelSelector = `${deployedLabel}=${program.name}`;
  const found = (await Promise.all(partKinds.map((kind) => listParts(client, kind, { labelSelector })))).flat();
  const others = found
    .filter(({ kind, namespace: place }) => kind === Deployment && place !== namespace)
    .map(({ namespace: place }) => place);
  const isHere = ({ kind, namespace: place, name }: Part): boolean =>
    kind === Namespace ? name === namespace : place === namespace || (place === "" && others.length === 0);
  const crds = new Set(found.filter(({ kind }) => kind === CustomResourceDefinition).map(({ name }) => name));
  const webhooks = others.length > 0 ? [] : await findWebhooks(client, program, namespace);
  const customKinds = await customKindsOf(client, program, crds);
  return {
    parts: [...webhooks, ...found.filter((part) => part.kind !== CustomResourceDefinition && isHere(part))],
    customKinds: others.length > 0 ? [] : customKinds,
    residents: customKinds.map(({ objects, ...kind }) => ({
      ...kind,
      objects: objects.filter(({ metadata }) => metadata.namespace === namespace),
    })),
    others,
  };
}

/** The custom resources that are neither removed nor elsewhere: a namespace that has them stays, as it would take them along. */
export function stayingIn(
  { residents }: Pick<Deployed, "residents">,
  removed: readonly CustomKind[],
): readonly string[] {
  return residents
    .filter(({ kind }) => removed.every((other) => other.kind !== kind))
    .flatMap(({ kind, objects }) =>
      objects.map(({ metadata: { namespace = "", name } }) => titleOf({ kind, namespace, name })),
    );
}

async function listParts(
  client: Client,
  kind: PartKind,
  { labelSelector }: { labelSelector: string },
): Promise<Part[]> {
  const { items } = await apiOf(client).list(kind, { labelSelector });
  return items.map(({ metadata: { namespace = "", name } }) => ({ kind, namespace, name }));
}

interface Configuration {
  readonly webhooks?: readonly { readonly clientConfig: { readonly service?: { readonly namespace: string } } }[];
}

/** The operator has registered its webhooks itself: without it they would only block writes. */
async function findWebhooks(client: Client, { resources }: Program, namespace: string): Promise<Part[]> {
  const keys = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration].flatMap((kind) =>
    resources.map(({ plural, group }) => ({ kind, namespace: "", name: `${plural}.${group}` })),
  );
  const found = await Promise.all(
    keys.map(async (key) => {
      const { webhooks = [] } = ((await find(client, key.kind, key)) ?? {}) as Configuration;
      return webhooks.some(({ clientConfig }) => clientConfig.service?.namespace === namespace) ? [key] : [];
    }),
  );
  return found.flat();
}

async function customKindsOf(client: Client, { resources }: Program, crds: ReadonlySet<string>): Promise<CustomKind[]> {
  const kinds = await Promise.all(
    resources.map(async (kind) => {
      const name = `${kind.plural}.${kind.group}`;
      if ((await find(client, CustomResourceDefinition, { namespace: "", name })) === undefined) return [];
      const { items } = await apiOf(client).list(kind, {});
      return [{ kind, isOurs: crds.has(name), objects: items }];
    }),
  );
  return kinds.flat();
}

/** How a removal is done. */
export interface Removing {
  readonly client: Client;
  readonly seconds: number;
  readonly report: (action: string, what: string) => void;
}

/** Deletes all objects of these kinds while the operator runs, and waits until they are gone. */
export async function removeCustomResources(kinds: readonly CustomKind[], removing: Removing): Promise<void> {
  for (const { kind, objects } of kinds) {
    for (const { metadata } of objects) {
      removing.report("delete", titleOf({ kind, namespace: metadata.namespace ?? "", name: metadata.name }));
      await remove(removing.client, { kind, namespace: metadata.namespace ?? "", name: metadata.name });
    }
  }
  const look = async (): Promise<readonly string[]> => {
    const lists = kinds.map(async ({ kind }) =>
      (await apiOf(removing.client).list(kind, {})).items.map(
        ({ metadata: { namespace = "", name, finalizers = [] } }) => {
          const held = finalizers.length === 0 ? "" : ` (finalizers: ${finalizers.join(", ")})`;
          return `${titleOf({ kind, namespace, name })}${held}`;
        },
      ),
    );
    return (await Promise.all(lists)).flat();
  };
  const left = await until(look, { holds: (each) => each.length === 0, seconds: removing.seconds });
  if (left.length === 0) return;
  throw new CliError(
    "Failed",
    `after ${removing.seconds} s these objects still exist, so the operator was not removed: ${left.join(", ")}; its log says why`,
  );
}

/** Deletes the objects, and waits for those that take time. */
export async function removeParts(parts: readonly Part[], { client, seconds, report }: Removing): Promise<void> {
  for (const part of parts) {
    report("delete", titleOf(part));
    await remove(client, part);
  }
  const slow = parts.filter(({ kind }) => kind === Namespace || kind === CustomResourceDefinition);
  for (const part of slow) {
    const isGone = (object: StoredObject | undefined): boolean => object === undefined;
    const left = await until(() => find(client, part.kind, part), { holds: isGone, seconds });
    if (left === undefined) continue;
    throw new CliError(
      "Failed",
      `${titleOf(part)} is still there after ${seconds} s: see its conditions with kubectl describe`,
    );
  }
}

async function remove(client: Client, { kind, namespace, name }: Part): Promise<void> {
  try {
    await apiOf(client).delete(kind, { namespace, name }, {});
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}

/** `Deployment shop/cache`. */
export function titleOf({ kind, namespace, name }: Part): string {
  return `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
