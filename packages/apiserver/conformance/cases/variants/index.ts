/** Systematic variants of the requests in which the embedded server was most often different. */
import type { Topic } from "../../case.ts";
import { audiences } from "./audiences.ts";
import { nodes } from "./nodes.ts";
import { oddBodies } from "./bodies.ts";
import { pages } from "./pages.ts";
import { paths } from "./paths.ts";
import { puts } from "./puts.ts";
import { queries } from "./queries.ts";
import { rights } from "./rights.ts";
import { typeChecks } from "./type-checks.ts";

export const variantTopics: readonly Topic[] = [
  puts,
  pages,
  oddBodies,
  paths,
  rights,
  audiences,
  nodes,
  queries,
  typeChecks,
];
