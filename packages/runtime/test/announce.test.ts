/** Webhook registrations are never downgraded, whichever replica maintains them: on the embedded and on the real API server. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { isApiError } from "@capstan/client";
import { kubernetesMissing } from "@capstan/kubernetes";
import type { StoredObject } from "@capstan/model";
import { createAuthority } from "@capstan/pki";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import type { Api } from "../src/api.ts";
import { systemClock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { CustomResourceDefinition, installCrds } from "../src/crds/crds.ts";
import { announce } from "../src/webhook/announce.ts";
import { conversionRegistrationsOf, registrationsOf } from "../src/webhook/registration.ts";
import type { Registration } from "../src/webhook/registration.ts";
import { retireHooks } from "../src/webhook/retire.ts";
import { failure } from "./model-api.ts";
import { onEmbedded, onReal } from "./places.ts";
import type { Place } from "./places.ts";

/** A kind with all registrations, in a group that no other test uses. */
function converted(group: string) {
  return defineResource({
    group,
    kind: "Disk",
    versions: {
      v1: { spec: s.object({ gigabytes: s.int32() }) },
      v2: { spec: s.object({ size: s.string() }), storage: true },
    },
    convert: {
      "v1->v2": ({ gigabytes }) => ({ size: `${gigabytes}Gi` }),
      "v2->v1": ({ size }) => ({ gigabytes: Number.parseInt(size, 10) }),
    },
    default: () => undefined,
    validate: () => undefined,
  });
}

const authorities = ["one", "two"].map((commonName) => {
  const { certificate } = createAuthority({ commonName, now: new Date("2026-01-01"), days: 36_500 });
  return [commonName, certificate] as const;
});

/** The registrations of a replica of some version: with its port and its CA bundle. */
function told(resource: Resource, port: number, authority: string): readonly Registration[] {
  const bundle = new Map(authorities).get(authority) ?? "";
  const reach = { by: "service", namespace: "default", name: "disks", port } as const;
  const options = { reach, bundle, namespace: "default" };
  return [...conversionRegistrationsOf(resource, options), ...registrationsOf(resource, options)];
}

interface Asked {
  readonly clientConfig: { readonly caBundle?: string; readonly service?: { readonly port?: number } };
}

/** The port and the authority in an object of the cluster. */
function named(object: StoredObject): string {
  const { spec, webhooks } = object as StoredObject & {
    readonly spec?: { readonly conversion?: { readonly webhook?: Asked } };
    readonly webhooks?: readonly Asked[];
  };
  const all = [...(webhooks ?? []), ...(spec?.conversion?.webhook === undefined ? [] : [spec.conversion.webhook])];
  const names = all.map(({ clientConfig: { caBundle = "", service } }) => {
    const pem = Buffer.from(caBundle, "base64").toString();
    return `${service?.port} ${authorities.find(([, certificate]) => certificate === pem)?.[0]}`;
  });
  return [...new Set(names)].join(", ");
}

const steps: readonly (readonly [
  what: string,
  version: string | undefined,
  port: number,
  ca: string,
  expected: string,
])[] = [
  ["is made", "1.0.0", 1443, "one", "1443 one"],
  ["is replaced by a later version", "1.1.0", 2443, "one", "2443 one"],
  ["stays when an earlier version looks after it", "1.0.0", 1443, "one", "2443 one"],
  ["trusts whom it must, whoever says so", "1.0.0", 1443, "two", "2443 two"],
  ["follows its own version", "1.1.0", 3443, "two", "3443 two"],
  ["follows who has no version", undefined, 4443, "two", "4443 two"],
  ["is anybody's after that", "1.0.0", 1443, "one", "1443 one"],
];

interface Stage extends AsyncDisposable {
  readonly api: Api;
  readonly resource: Resource;
}

/** A server with the CRD; the test's registrations are removed before the connection closes. */
async function stage(t: TestContext, connect: (t: TestContext) => Promise<Place>): Promise<Stage> {
  const { api, namespace } = await connect(t);
  const defined = converted(`${namespace}.announce.example.com`);
  const resource = defined as unknown as Resource;
  await installCrds([controller(defined, {}, () => undefined)], { api, clock: systemClock, manager: "test" });
  const clear = async (): Promise<void> => {
    for (const { kind, object } of told(resource, 1, "one"))
      await api.delete(kind, { namespace: "", name: object.metadata.name ?? "" }, {}).catch((error: unknown) => {
        if (!isApiError(error, "NotFound")) throw error;
      });
  };
  return { api, resource, [Symbol.asyncDispose]: clear };
}

function tell(where: string, connect: (t: TestContext) => Promise<Place>, skip: string | false): void {
  describe(`on ${where}`, { skip }, () => {
    test("registrations of webhooks and conversions are never downgraded", async (t) => {
      await using here = await stage(t, connect);
      const { api, resource } = here;
      for (const [what, version, port, authority, expected] of steps) {
        for (const one of told(resource, port, authority)) {
          await announce({ api, manager: "disks-webhooks", version }, one);
          const stored = await api.get(one.kind, { namespace: "", name: one.object.metadata.name ?? "" });
          assert.equal(named(stored), expected, `${one.kind.kind} ${what}`);
        }
      }
    });

    test("removed webhooks are unregistered, except those of later versions or others", async (t) => {
      await using here = await stage(t, connect);
      const { api, resource } = here;
      const manager = "disks-webhooks";
      const hooks = told(resource, 1443, "one").filter(({ tells }) => tells === "webhooks");
      for (const one of hooks) await announce({ api, manager, version: "1.5.0" }, one);
      const left = async (): Promise<readonly string[]> => {
        const found: string[] = [];
        for (const { kind, object } of hooks) {
          const name = object.metadata.name ?? "";
          const stored = await api.get(kind, { namespace: "", name }).catch((error: unknown) => {
            if (!isApiError(error, "NotFound")) throw error;
          });
          if (stored !== undefined && named(stored) !== "") found.push(kind.kind);
        }
        return found;
      };
      const both = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
      const { validate: _validate, ...fills } = resource.hooks;
      const [none, oneLess] = [[{ ...resource, hooks: {} }], [{ ...resource, hooks: fills }]];
      await retireHooks({ api, manager, version: "1.4.0" }, none);
      await retireHooks({ api, manager: "others-webhooks", version: "2.0.0" }, none);
      await retireHooks({ api, manager, version: "2.0.0" }, [resource]);
      assert.deepEqual(await left(), both);
      await retireHooks({ api, manager, version: "2.0.0" }, oneLess);
      assert.deepEqual(await left(), both.slice(0, 1));
      const mayNotDelete = { ...api, delete: () => Promise.reject(failure("Forbidden", "no", 403)) };
      await retireHooks({ api: mayNotDelete, manager, version: "2.0.0" }, none);
      assert.deepEqual(await left(), [], "an empty one holds nobody up");
    });

    test("a conversion also stays when a later version applied the whole CRD", async (t) => {
      await using here = await stage(t, connect);
      const { api, resource } = here;
      const [conversion, later] = [told(resource, 1443, "one")[0], told(resource, 2443, "one")[0]];
      assert.ok(conversion?.tells === "conversion" && later !== undefined);
      const complete = <C extends { readonly spec: object }>(crd: C): C => ({
        ...crd,
        spec: { ...crd.spec, ...(later.object as unknown as { readonly spec: object }).spec },
      });
      const manager = "disks";
      const controllers = [controller(resource, {}, () => undefined)];
      await installCrds(controllers, { api, clock: systemClock, manager, version: "2.0.0", complete });
      await announce({ api, manager: "disks-webhooks", version: "1.9.0" }, conversion);
      const name = conversion.object.metadata.name ?? "";
      assert.equal(named(await api.get(CustomResourceDefinition, { namespace: "", name })), "2443 one");
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
