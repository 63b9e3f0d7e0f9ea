/** The topics of the built-in kinds, one for each group. */
import type { Topic } from "../../case.ts";
import { admission } from "./admission.ts";
import { apps } from "./apps.ts";
import { autoscaling } from "./autoscaling.ts";
import { batch } from "./batch.ts";
import { control } from "./control.ts";
import { networking } from "./networking.ts";
import { rbac } from "./rbac.ts";
import { resource } from "./resource.ts";
import { smallGroups } from "./small-groups.ts";
import { storage } from "./storage.ts";

export const kindTopics: readonly Topic[] = [
  admission,
  apps,
  autoscaling,
  batch,
  control,
  networking,
  rbac,
  resource,
  smallGroups,
  storage,
];
