/** Tours: each covers one subject with many valid and invalid requests. */
import type { Topic } from "../../case.ts";
import { accountTours } from "./accounts.ts";
import { actionTours } from "./actions.ts";
import { changeTours } from "./changes.ts";
import { collections } from "./collections.ts";
import { costs } from "./costs.ts";
import { customTours } from "./customs.ts";
import { endingTours } from "./endings.ts";
import { kindTours } from "./kinds.ts";
import { mutantTours } from "./mutants.ts";
import { nullTours } from "./nulls.ts";
import { otherWrongTours } from "./other-wrongs.ts";
import { parameters } from "./parameters.ts";
import { paramTours } from "./params.ts";
import { patchTours } from "./patches.ts";
import { podTours } from "./pods.ts";
import { policyTours } from "./policies.ts";
import { scaleTours } from "./scales.ts";
import { webhooks } from "./webhooks.ts";
import { wrongTours } from "./wrongs.ts";
import { yamlTours } from "./yaml.ts";

export const tourTopics: readonly Topic[] = [
  accountTours,
  actionTours,
  changeTours,
  collections,
  costs,
  customTours,
  endingTours,
  ...kindTours,
  ...mutantTours,
  nullTours,
  otherWrongTours,
  parameters,
  paramTours,
  patchTours,
  podTours,
  policyTours,
  scaleTours,
  webhooks,
  wrongTours,
  yamlTours,
];
