/** The kind of the small operators that test the testing kit. */
import { defineResource, s } from "capstan";
import type { TestWorld } from "capstan/testing";

/** A shop with a few fields of each sort. */
export const Shop = defineResource({
  group: "kit.example.com",
  version: "v1",
  kind: "Shop",
  spec: s.object({ size: s.int32().default(1), text: s.string().default("a"), extra: s.boolean().default(false) }),
  status: s.object({
    size: s.int32(),
    text: s.string(),
    child: s.string(),
    children: s.array(s.string()),
    at: s.string(),
  }),
  conditions: { Open: "everything is there" },
});

/** The context functions of a reconcile get the name of the object from here. */
export const NAME = "corner";

/** A shop is created and grows. */
export async function grow(world: TestWorld): Promise<void> {
  await world.apply(Shop, NAME, { spec: { size: 1 } });
  await world.settle();
  await world.apply(Shop, NAME, { spec: { size: 3, text: "b", extra: true } });
  await world.settle();
}

/** A shop is created and deleted. */
export async function growAndDelete(world: TestWorld): Promise<void> {
  await grow(world);
  await world.apply(Shop, NAME, { spec: { size: 2 } });
  await world.settle();
  await world.delete(Shop, NAME);
  await world.settle();
}
