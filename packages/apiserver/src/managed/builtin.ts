/** Field managers of the built-in kinds. */
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { formatApiVersion, parseApiVersion, type GroupVersionKind, type KubeObject } from "@capstan/model";
import { fromOpenApi, type JsonObject, type ManageFieldsOptions, type TypeSchema } from "@capstan/patch";
import { GoReader } from "../decode/go-codec.ts";
import { goTypeOf } from "../decode/go-type.ts";
import { createFieldManager, type FieldManager } from "./field-manager.ts";

/** The scope of a field manager. */
export interface ManagedKind {
  readonly resetFields: readonly string[];
  /** The subresource; the object itself by default. */
  readonly subresource?: string;
  /** Converts an object to another version, for kinds with several; `undefined` if the version does not exist. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
  /** The other versions of the kind. */
  readonly otherVersions?: readonly string[];
}

/** The field manager of a kind at one version, or of one of its subresources. Created at the first use. */
export function fieldManagerOf(kind: GroupVersionKind, kindOptions: ManagedKind): FieldManager | undefined {
  let made: FieldManager | undefined;
  const manager = (): FieldManager => (made ??= make(kind, kindOptions));
  return {
    get schema() {
      return manager().schema;
    },
    update: (live, draft, origin) => manager().update(live, draft, origin),
    apply: (live, applied, origin) => manager().apply(live, applied, origin),
  };
}

function make(
  kind: GroupVersionKind,
  { resetFields, subresource = "", convert, otherVersions = [] }: ManagedKind,
): FieldManager {
  const apiVersion = formatApiVersion(kind);
  const struct = goTypeOf(apiVersion, kind.kind);
  return createFieldManager({
    apiVersion,
    kind: kind.kind,
    subresource,
    schema: schemaOf(kind),
    resetFields,
    otherVersions,
    ...(convert === undefined ? {} : { convert: between(kind.kind, convert) }),
    ...(struct === undefined ? {} : { empty: new GoReader(undefined).readObject(struct, {}) as unknown as JsonObject }),
  });
}

function schemaOf(kind: GroupVersionKind): TypeSchema {
  return fromOpenApi(builtInDefinitions(), definitionNameOf(kind) ?? "");
}

/** Managed fields refer to the version of their write, so the object is converted to that version. */
function between(
  kind: string,
  convert: NonNullable<ManagedKind["convert"]>,
): NonNullable<ManageFieldsOptions["convert"]> {
  return (object, apiVersion) => {
    const converted = convert(object as unknown as KubeObject, apiVersion);
    if (converted === undefined) return undefined;
    return { object: converted as unknown as JsonObject, schema: schemaOf({ ...parseApiVersion(apiVersion), kind }) };
  };
}
