/** PodTemplate: a stored template of a pod. */
import type { PodTemplate } from "@capstan/kinds/v1";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { checkPodTemplate, dropDisabledFields } from "../pod-template/template.ts";
import { podTemplateWarnings } from "../pod-template/warnings.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { containerCells, labelsCell } from "../table/cells.ts";

export const podTemplateRules: KindRules<PodTemplate> = defineRules<PodTemplate>({
  defaults(draft) {
    draft.template ??= {};
    draft.template.spec ??= { containers: [] };
    defaultPodTemplate(draft.template);
  },
  prepareForCreate(draft) {
    startGeneration(draft);
    dropDisabledFields(draft.template?.spec);
  },
  prepareForUpdate(draft, old) {
    dropDisabledFields(draft.template?.spec, old.template?.spec);
    bumpGeneration(draft, old, ["template"]);
  },
  validateCreate: (object) => [...checkPodTemplate(object.template ?? {}, "template")],
  validateUpdate: (object, old) => [...checkPodTemplate(object.template ?? {}, "template", old.template)],
  warnings: ({ metadata, template }, old) =>
    old !== undefined && old.metadata.generation === metadata.generation
      ? []
      : podTemplateWarnings(template, "template"),
  deletion: { returnsObject: true },
  table: {
    row: ({ metadata, template }) => ({
      cells: [
        metadata.name ?? "",
        ...containerCells(template?.spec?.containers),
        labelsCell(template?.metadata?.labels),
      ],
    }),
  },
});
