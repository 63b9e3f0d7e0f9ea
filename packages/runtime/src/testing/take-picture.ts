/** The end of a run: all objects of the operator's kinds. */
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { OperatorDefinition } from "../manager/operator.ts";
import type { Picture, Pictured } from "./picture.ts";
import type { TestWorld } from "./test-operator.ts";

/** Reads all objects of the kinds that the operator reconciles or owns. */
export async function takePicture(
  world: TestWorld,
  { controllers }: OperatorDefinition,
): Promise<Omit<Picture, "returned">> {
  const kinds = new Map<string, AnyKind>();
  for (const { kind, owns } of controllers) for (const each of [kind, ...owns]) kinds.set(kindId(each), each);
  const objects: Pictured[] = [];
  for (const kind of kinds.values()) {
    const found: readonly StoredObject[] = await world.list(kind as never);
    const { group } = kind;
    objects.push(...found.map((object) => ({ kind: group === "" ? kind.kind : `${kind.kind}.${group}`, object })));
  }
  return { objects, span: world.span };
}
