/** What must and must not compile: checked by the compiler, never run. */
import type { Kind, StoredObject } from "@capstan/model";
import type { Client } from "../src/client.ts";
import type { ApiErrorCode } from "../src/error/code.ts";
import { metadataOnly } from "../src/call/representation.ts";

interface Widget extends StoredObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly ready: boolean };
}
interface WidgetApply {
  readonly metadata?: { readonly labels?: Record<string, string> };
  readonly spec?: { readonly size?: number };
}
declare const Widget: Kind<Widget, WidgetApply, "Namespaced">;
declare const Zone: Kind<StoredObject, { readonly spec?: { readonly region?: string } }, "Cluster">;
declare const Unknown: Kind;
declare const client: Client;

const at = { namespace: "default", name: "a" };

export const compiles = async (): Promise<void> => {
  const size: number = (await client.get(Widget, at)).spec.size;
  await client.get(Zone, { name: "a" });
  await client.get(Unknown, { name: "a" });
  await client.get(Unknown, at);
  await client.create(Widget, { metadata: at, spec: { size } });
  await client.apply(Widget, { metadata: at, spec: { size: 1 } }, { fieldManager: "me" });
  await client.apply(Unknown, { metadata: at, anything: 1 }, { fieldManager: "me" });
  for await (const event of client.watch(Widget, { namespace: "*" })) {
    if (event.type === "ADDED") event.object.spec.size satisfies number;
  }
  (await client.get(metadataOnly(Widget), at)).metadata.uid satisfies string;
};

export const mustNotCompile = async (): Promise<void> => {
  // @ts-expect-error a namespaced kind needs a namespace
  await client.get(Widget, { name: "a" });
  // @ts-expect-error a cluster kind has no namespace
  await client.get(Zone, at);
  // @ts-expect-error an object needs a name
  await client.get(Widget, { namespace: "default" });
  // @ts-expect-error a list of a namespaced kind says which namespace, or "*"
  client.list(Widget, {});
  // @ts-expect-error a watch of a cluster kind has no namespace
  client.watch(Zone, { namespace: "default" });
  // @ts-expect-error a namespaced object is created in a namespace
  await client.create(Widget, { metadata: { name: "a" }, spec: { size: 1 } });
  // @ts-expect-error the spec has to be there
  await client.create(Widget, { metadata: at });
  // @ts-expect-error a size is a number
  await client.create(Widget, { metadata: at, spec: { size: "1" } });
  // @ts-expect-error an apply configuration has no fields that its kind does not have
  await client.apply(Widget, { metadata: at, spec: { sise: 1 } }, { fieldManager: "me" });
  // @ts-expect-error an applied object has a name
  await client.apply(Widget, { metadata: { namespace: "default" }, spec: {} }, { fieldManager: "me" });
  // @ts-expect-error apply needs a field manager
  await client.apply(Widget, { metadata: at, spec: {} }, {});
  // @ts-expect-error what is updated has a name
  await client.update(Widget, { metadata: { namespace: "default" }, spec: { size: 1 } });
  // @ts-expect-error what was read cannot be changed
  (await client.get(Widget, at)).spec.size = 2;
  // @ts-expect-error only the metadata was asked for
  (await client.get(metadataOnly(Widget), at)).spec satisfies object;
  // @ts-expect-error a patch is in one of three languages
  await client.patch(Widget, at, { spec: { size: 1 } });
  // @ts-expect-error there is no such code
  "Missing" satisfies ApiErrorCode;
};
