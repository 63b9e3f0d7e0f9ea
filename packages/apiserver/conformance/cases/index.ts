/** All topics. */
import type { Topic } from "../case.ts";
import { access } from "./access.ts";
import { admission } from "./admission.ts";
import { bodies } from "./bodies.ts";
import { coreTopics } from "./core/index.ts";
import { custom } from "./custom.ts";
import { deletion } from "./deletion.ts";
import { discovery } from "./discovery.ts";
import { extremes } from "./extremes.ts";
import { exploredTopics } from "./explored/index.ts";
import { kindTopics } from "./kinds/index.ts";
import { lifeTopics } from "./lives/index.ts";
import { lists } from "./lists.ts";
import { media } from "./media.ts";
import { patches } from "./patches.ts";
import { podSecurity } from "./pod-security.ts";
import { policies } from "./policies.ts";
import { scaleApply } from "./scale-apply.ts";
import { tourTopics } from "./tours/index.ts";
import { updates } from "./updates.ts";
import { flows } from "./variants/flows.ts";
import { variantTopics } from "./variants/index.ts";
import { watches } from "./watches.ts";

export const topics: readonly Topic[] = [
  // First, as it lists what a new server has.
  flows,
  bodies,
  extremes,
  updates,
  patches,
  deletion,
  lists,
  watches,
  media,
  discovery,
  custom,
  access,
  admission,
  podSecurity,
  policies,
  scaleApply,
  ...coreTopics,
  ...kindTopics,
  ...exploredTopics,
  ...tourTopics,
  ...lifeTopics,
  ...variantTopics,
];
