/** Writes a project, changes it and upgrades it, and makes manifests from what a program declares. */

// A project and what it was made from.
export { formatInputs, inputsFile, parseInputs } from "./project/inputs.ts";
export { checkProject } from "./project/collisions.ts";
export type { ApiInputs, Extra, ImageInputs, Inputs, Origin, WebhookInputs } from "./project/inputs.ts";
export { checkGroup, checkKind, checkProjectName, wordsOf } from "./project/names.ts";
export type { Words } from "./project/names.ts";
export { currentTemplates, renderProject } from "./project/render.ts";
export type { Files } from "./project/render.ts";
export { ScaffoldError } from "./errors.ts";
export type { ScaffoldErrorCode } from "./errors.ts";

// Changes to it.
export { addApi, addExtra, addWebhooks, findApi, removeApi } from "./project/edit.ts";
export type { ApiName } from "./project/edit.ts";
export { renameApi } from "./project/rename.ts";
export type { NewName } from "./project/rename.ts";
export { planChange } from "./project/change.ts";
export type { FileChange, Situation } from "./project/change.ts";
export { merge } from "./merge/merge.ts";
export type { Additions, Merged, Versions } from "./merge/merge.ts";
export { diffLines, toLines } from "./merge/lines.ts";
export type { Change } from "./merge/lines.ts";

// What follows from a program.
export { readProgram } from "./generate/program.ts";
export type { ControllerFacts, Hints, KindNames, Program, WebhookSettings } from "./generate/program.ts";
export { certificateRules, leaderRules, metricsGuardRules, registrationRules, rulesOf } from "./generate/rules.ts";
export type { PolicyRule, ScopedRules } from "./generate/rules.ts";
export { crdsOf, installationOf, rbacOf } from "./generate/objects.ts";
export type { Manifest } from "./generate/manifest.ts";
export type { Installation, Placement } from "./generate/objects.ts";
export { bundleSourceOf, descriptionOfPackage } from "./generate/bundle.ts";
export type { PackageWords, Registered, Registrar, WebhookReach } from "./generate/bundle.ts";
export { patchSchemas } from "./generate/schema-patch.ts";
export type { PatchedCrds } from "./generate/schema-patch.ts";
export { metersOf } from "./generate/meters.ts";
export { kustomizeTree } from "./generate/kustomize.ts";
export type { TreeDetails } from "./generate/kustomize.ts";
export { helmChart } from "./generate/helm.ts";
export type { ChartFacts } from "./generate/helm.ts";
export { apiReference } from "./generate/reference.ts";
export { editorSchemas } from "./generate/editor-schema.ts";
export { clusterRule, readMonitoring, runbook } from "./generate/monitoring.ts";
export { prometheusRule } from "./generate/alerts.ts";
export { dashboards } from "./generate/dashboards.ts";
export { parseCustomMetrics } from "./generate/custom-metrics.ts";
export type { CustomMetric } from "./generate/custom-metrics.ts";
export { sampleOf } from "./generate/samples.ts";
export { toYaml, toYamlStream } from "./generate/yaml.ts";

// From a CRD to a definition.
export { compareCrds } from "./import/compare.ts";
export { importCrd } from "./import/crd.ts";
export type { Imported } from "./import/crd.ts";
export type { CrdInput, CrdVersionInput } from "./import/crd-input.ts";
export type { PrinterColumn } from "./import/columns.ts";
