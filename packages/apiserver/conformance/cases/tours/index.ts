/** Tours: one subject after the other, asked in every way that somebody thought of, right and wrong. */
import type { Topic } from "../../case.ts";
import { accountTours } from "./accounts.ts";
import { changeTours } from "./changes.ts";
import { collections } from "./collections.ts";
import { costs } from "./costs.ts";
import { customTours } from "./customs.ts";
import { kindTours } from "./kinds.ts";
import { mutantTours } from "./mutants.ts";
import { parameters } from "./parameters.ts";
import { patchTours } from "./patches.ts";
import { podTours } from "./pods.ts";
import { policyTours } from "./policies.ts";
import { webhooks } from "./webhooks.ts";

export const tourTopics: readonly Topic[] = [
  accountTours,
  changeTours,
  collections,
  costs,
  customTours,
  ...kindTours,
  ...mutantTours,
  parameters,
  patchTours,
  podTours,
  policyTours,
  webhooks,
];
