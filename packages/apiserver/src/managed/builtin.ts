/** Field managers of the built-in kinds. */
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { formatApiVersion, type GroupVersionKind } from "@capstan/model";
import { fromOpenApi, type JsonObject } from "@capstan/patch";
import { GoReader } from "../decode/go-codec.ts";
import { goTypeOf } from "../decode/go-type.ts";
import { createFieldManager, type FieldManager } from "./field-manager.ts";

/** The field manager of a kind at one version, or of one of its subresources. Made when it is first used. */
export function fieldManagerOf(
  kind: GroupVersionKind,
  resetFields: readonly string[],
  subresource = "",
): FieldManager | undefined {
  let made: FieldManager | undefined;
  const manager = (): FieldManager => (made ??= make(kind, resetFields, subresource));
  return {
    get schema() {
      return manager().schema;
    },
    update: (live, draft, origin) => manager().update(live, draft, origin),
    apply: (live, applied, origin) => manager().apply(live, applied, origin),
  };
}

function make(kind: GroupVersionKind, resetFields: readonly string[], subresource: string): FieldManager {
  const apiVersion = formatApiVersion(kind);
  const struct = goTypeOf(apiVersion, kind.kind);
  const name = definitionNameOf(kind) ?? "";
  return createFieldManager({
    apiVersion,
    kind: kind.kind,
    subresource,
    schema: fromOpenApi(builtInDefinitions(), name),
    resetFields,
    ...(struct === undefined ? {} : { empty: new GoReader(undefined).readObject(struct, {}) as unknown as JsonObject }),
  });
}
