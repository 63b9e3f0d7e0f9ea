/** Comprehensions with two variables. */

import type { Implementation } from "../check/declarations.ts";
import { overload } from "../check/declarations.ts";
import { insert } from "../evaluate/comprehension.ts";
import { TWO_VARIABLE_MACROS } from "../syntax/macros.ts";
import { mapOf, typeParam } from "../type.ts";
import type { CelResult, CelValue, CelMap } from "../values/value.ts";
import { CelError } from "../values/value.ts";
import type { Library } from "./library.ts";

const K = typeParam("K");
const V = typeParam("V");
const MAP_KV = mapOf(K, V);

const insertAll: Implementation = (map, more) => {
  let result: CelResult = map as CelValue;
  for (const key of (more as CelMap).keys()) {
    result = insert(result, key, (more as CelMap).get(key) as CelValue);
    if (result instanceof CelError) return result;
  }
  return result;
};

/** Adds all, exists and existsOne with two variables, transformList, transformMap and transformMapEntry. */
export const TWO_VARIABLES: Library = {
  name: "two-variable comprehensions",
  macros: TWO_VARIABLE_MACROS,
  functions: [
    {
      name: "cel.@mapInsert",
      overloads: [
        overload("@mapInsert_map_key_value", [MAP_KV, K, V], MAP_KV, insert as Implementation),
        overload("@mapInsert_map_map", [MAP_KV, MAP_KV], MAP_KV, insertAll),
      ],
    },
  ],
};
