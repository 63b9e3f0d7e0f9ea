/** Correct operators of eight kinds: neither crashes, nor missed events, nor failing writes make the kit fail them. */
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { controller, every, operator, requeue } from "capstan";
import type { Operator } from "capstan";
import { ConfigMap, Secret } from "capstan/kinds/v1";
import { crashEverywhere, failEverywhere, type Story, type TestWorld } from "capstan/testing";
import { grow, growAndDelete, NAME, Shop } from "./operators/shop.ts";

/** An operator, and a scenario that shows it. */
interface Correct {
  readonly app: Operator | (() => Operator);
  readonly story: Story;
}

/** A provider outside of the cluster: what it creates takes ten seconds. */
function provider() {
  const machines = new Map<string, number>();
  let now = (): number => 0;
  return {
    machines,
    begin: (world: TestWorld): void => {
      machines.clear();
      now = () => world.clock.now();
    },
    ensure: (name: string): "ready" | "pending" => {
      const since = machines.get(name) ?? now();
      machines.set(name, since);
      return now() - since >= 10_000 ? "ready" : "pending";
    },
    remove: (name: string): boolean => machines.delete(name),
  };
}

const external = provider();

const correct: { readonly [what: string]: Correct } = {
  "a child with a generated name": {
    app: operator({
      name: "generated",
      controllers: [
        controller(Shop, { owns: [ConfigMap] }, async ({ find, create, object, status }) => {
          const [owned] = find(ConfigMap, { owner: object });
          status.child = (owned ?? (await create(ConfigMap, { prefix: "shop-" }, { data: {} }))).metadata.name;
        }),
      ],
    }),
    story: grow,
  },
  "a Secret with a random password": {
    app: operator({
      name: "passwords",
      controllers: [
        controller(Shop, { owns: [Secret], prune: false }, async ({ get, create }) => {
          if (get(Secret, "password") !== undefined) return;
          await create(Secret, "password", { stringData: { password: randomUUID() } });
        }),
      ],
    }),
    story: grow,
  },
  "an external service that is polled, and cleaned up": {
    app: operator({
      name: "machines",
      controllers: [
        controller(
          Shop,
          { cleanup: ({ object }) => void external.remove(object.metadata.name) },
          ({ object, status }) => {
            const state = external.ensure(object.metadata.name);
            status.text = state;
            return state === "pending" ? requeue("3s", { reason: "waits for the machine" }) : undefined;
          },
        ),
      ],
    }),
    story: async (world) => {
      external.begin(world);
      await growAndDelete(world);
      return external.machines.size;
    },
  },
  "a daemon for each object": {
    app: () => {
      const open = new Set<string>();
      return operator({
        name: "daemons",
        controllers: [
          controller(
            Shop,
            {
              daemon: async ({ object, signal }) => {
                const uid = object()?.metadata.uid ?? "";
                open.add(uid);
                await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
                open.delete(uid);
              },
            },
            ({ object, status }) => void (status.size = object.spec.size),
          ),
        ],
      });
    },
    story: growAndDelete,
  },
  "several controllers of one kind": {
    app: operator({
      name: "several",
      controllers: [
        controller(Shop, { name: "maps", owns: [ConfigMap] }, async ({ object, apply, status }) => {
          await apply(ConfigMap, "map", { data: { text: object.spec.text } });
          status.text = object.spec.text;
        }),
        controller(Shop, { name: "opens" }, ({ object, status }) => {
          status.condition("Open", object.status?.text === object.spec.text);
          status.size = object.spec.size;
        }),
      ],
    }),
    story: growAndDelete,
  },
  "steps with a key for an effect outside": {
    app: operator({
      name: "steps",
      controllers: [
        controller(Shop, {}, async ({ object, step, status }) => {
          const key = await step("key", () => randomUUID());
          await step("pay", () => void external.machines.set(key, object.spec.size), { input: object.spec.size });
          status.size = object.spec.size;
        }),
      ],
    }),
    story: async (world) => {
      external.begin(world);
      await grow(world);
      // A key that was lost before it was recorded may have paid nothing.
      return [...external.machines.values()];
    },
  },
  "a handler of one field, with an event": {
    app: operator({
      name: "fields",
      controllers: [
        controller(
          Shop,
          {
            owns: [ConfigMap],
            onFieldChange: {
              "spec.text": async ({ apply, event, to }) => {
                await apply(ConfigMap, "text", { data: { text: String(to) } });
                event("Normal", "Changed", `to ${to}`);
              },
            },
            prune: false,
          },
          ({ object, status }) => void (status.size = object.spec.size),
        ),
      ],
    }),
    story: grow,
  },
  "a timer, and children that come and go": {
    app: operator({
      name: "timers",
      controllers: [
        controller(Shop, { owns: [ConfigMap], sources: [every("1m")] }, async ({ object, apply, status }) => {
          for (let at = 0; at < object.spec.size; at++) await apply(ConfigMap, `part-${at}`, { data: {} });
          status.size = object.spec.size;
        }),
      ],
    }),
    story: async (world) => {
      await grow(world);
      await world.apply(Shop, NAME, { spec: { size: 1 } });
      await world.settle();
    },
  },
};

for (const [what, { app, story }] of Object.entries(correct)) {
  test(`crashes and missed events pass ${what}`, async () => void (await crashEverywhere(app, story)));
  test(`failing writes and lost responses pass ${what}`, async () => void (await failEverywhere(app, story)));
}
