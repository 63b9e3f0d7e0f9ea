/** The built-in kinds of Kubernetes as data; the kinds themselves are in separate modules: `@capstan/kinds/apps/v1`. */
export { builtInGroupVersions } from "./discovery.ts";
export type { BuiltInGroupVersion, BuiltInResource, BuiltInSubresource, TableColumn } from "./discovery.ts";
export { builtInDefinitions, definitionNameOf, definitionOf } from "./definitions.ts";
export type { Definition } from "./definitions.ts";
export type { JsonObject, Keyed } from "./shape.ts";
