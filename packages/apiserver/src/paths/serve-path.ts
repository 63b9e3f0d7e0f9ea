/** Paths that are no resources: discovery, versions, health, metrics, OpenAPI. */
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { PathRequest } from "../route/request-info.ts";
import { pageNotFound } from "./plain.ts";

/** Answers a request for a path. */
export function servePath(_exchange: Exchange, _info: PathRequest): Promise<Answer> | Answer {
  return pageNotFound();
}
