/** patch: a change of four possible forms, applied to whatever is there. */
import type { Answer } from "../answer.ts";
import { methodNotAllowed } from "./serve-resource.ts";
import type { ResourceExchange } from "../exchange.ts";

/** Answers a PATCH. */
export function patch(_exchange: ResourceExchange): Promise<Answer> {
  throw methodNotAllowed();
}
