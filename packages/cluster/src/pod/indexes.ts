/** The cache indexes of pods: by controller and by node. */
import type { Pod } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import { controllerOf } from "../ownership/owner.ts";

/** The indexes of pods, for the `cache` option of controllers that read them. */
export const podIndexes = {
  indexes: {
    controller: (object: KubeObject): readonly string[] => {
      const owner = controllerOf(object);
      return owner === undefined ? [] : [owner.uid];
    },
    // The cache of pods holds pods.
    node: (object: KubeObject): readonly string[] => [(object as Pod).spec?.nodeName ?? ""],
  },
} as const;
