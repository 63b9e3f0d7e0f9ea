/** The validators: those that always run, and the table of those that are selected by their labels. */
import { type LabelSelector, matchesLabels } from "@capstan/model";
import type { Bundle } from "../read/bundle.ts";
import { validateWhole } from "./bundle.ts";
import { validateCapabilities, validateCategories } from "./capabilities.ts";
import { validateCommunity } from "./community.ts";
import { validateContent } from "./content.ts";
import { validateCrds } from "./crd.ts";
import { validateCsv } from "./csv.ts";
import type { Finding } from "./finding.ts";
import { mediaTypeOf } from "./format.ts";
import { validateGoodPractices } from "./good-practices.ts";
import { validateMultiArch } from "./multi-arch.ts";
import { validateObjects } from "./objects.ts";
import { validateOldOperatorHub, validateOperatorHub } from "./operator-hub.ts";
import { validateRemovedApis } from "./removed-apis.ts";
import type { Validator, ValidatorValues } from "./validator.ts";

/** What always runs on a bundle. */
export function validateDefaults(bundle: Bundle): Finding[] {
  const mediaType = mediaTypeOf(bundle.files, bundle.manifests) ?? "";
  if (mediaType === "helm") return [];
  return [
    ...validateWhole(bundle),
    ...validateCsv(bundle.csv),
    ...validateCrds(bundle),
    ...validateContent(bundle, mediaType),
  ];
}

const suite = "operatorframework";

/** Validators that run when their labels are selected, in the order in which they are listed and run. */
export const optionalValidators: readonly Validator[] = [
  {
    name: "operatorhubv2",
    labels: { name: "operatorhubv2", suite },
    describe: "What OperatorHub.io asks of a bundle: people, links, icon, version, no removed APIs",
    validate: validateOperatorHub,
  },
  {
    name: "capabilities",
    labels: { name: "capabilities", suite },
    describe: "The level of capability is one of the five",
    validate: validateCapabilities,
  },
  {
    name: "categories",
    labels: { name: "categories", suite },
    describe: "The categories are those of OperatorHub.io, or of the file that OPERATOR_BUNDLE_CATEGORIES names",
    validate: validateCategories,
  },
  {
    name: "operatorhub",
    labels: { name: "operatorhub" },
    describe: "The former rules of OperatorHub.io, all in one (deprecated)",
    validate: validateOldOperatorHub,
  },
  {
    name: "community",
    labels: { name: "community" },
    describe: "The former rules of the community's catalog for OpenShift (deprecated)",
    validate: validateCommunity,
  },
  {
    name: "alpha-deprecated-apis",
    labels: { name: "alpha-deprecated-apis", suite },
    describe: "No APIs that are gone from the Kubernetes that the bundle is meant for",
    validate: validateRemovedApis,
  },
  {
    name: "good-practices",
    labels: { name: "good-practices", suite },
    describe: "Requests for resources, words about kinds, usual names, no rights over CRDs",
    validate: validateGoodPractices,
  },
  {
    name: "multiarch",
    labels: { name: "multiarch" },
    describe: "The images run on the platforms that the labels name; the images are looked at in their registries",
    validate: validateMultiArch,
  },
  {
    name: "objects",
    labels: { name: "objects" },
    describe: "No disruption budgets, priority classes or permissions that could hurt a whole cluster",
    validate: validateObjects,
  },
];

/** The validators that a selector chooses. */
export function selectValidators(selector: LabelSelector): Validator[] {
  return optionalValidators.filter(({ labels }) => matchesLabels(selector, labels));
}

/** Runs optional validators. */
export function runValidators(validators: readonly Validator[], bundle: Bundle, values: ValidatorValues): Finding[] {
  return validators.flatMap(({ validate }) => validate(bundle, values));
}
