/** ComponentStatus: deprecated, served for old clients. */
import type { ComponentStatus } from "@capstan/kinds/v1";
import { defineRules, type KindRules } from "../rules.ts";

export const componentStatusRules: KindRules<ComponentStatus> = defineRules<ComponentStatus>({
  table: {
    row({ metadata, conditions = [] }) {
      const healthy = conditions.find(({ type }) => type === "Healthy");
      const state = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
      return { cells: [metadata.name ?? "", state, healthy?.message ?? "", healthy?.error ?? ""] };
    },
  },
});
