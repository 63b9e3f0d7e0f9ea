/** Service: a stable address for a changing set of pods. */
import type { Service } from "@capstan/kinds/v1";
import type { FieldError } from "@capstan/model";
import { ipWarnings } from "../meta/ip-checks.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { allocateService, settleAllocation } from "./service-allocation.ts";
import { checkService } from "./service-check.ts";
import { defaultService, dropTypeFields } from "./service-fields.ts";
import { checkLoadBalancerStatus } from "./service-status.ts";
import { serviceProxy } from "./service-proxy.ts";
import { serviceRow } from "./service-table.ts";
import { serviceWarnings } from "./service-warnings.ts";
import { checkServiceChange } from "./service-change.ts";

export const serviceRules: KindRules<Service> = defineRules<Service>({
  name: "dns-label",
  createOnUpdate: true,
  defaults: defaultService,
  allocate: allocateService,
  prepareForCreate(draft) {
    dropField(draft, "status");
    draft.status = { loadBalancer: {} };
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropTypeFields(draft, old);
  },
  validateCreate: (service) => [...checkService(service)],
  validateUpdate: (service, old) => [...checkServiceChange(service, old), ...checkService(service, old)],
  warnings: serviceWarnings,
  canonicalize(draft) {
    if (draft.spec?.type === "ExternalName") delete draft.spec.internalTrafficPolicy;
  },
  resetFields: ["status"],
  fields: {
    "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "",
    "spec.type": ({ spec }) => spec?.type ?? "",
  },
  deletion: { returnsObject: true },
  stored: settleAllocation,
  subresources: {
    proxy: serviceProxy,
    status: {
      ...statusView<Service>({
        validate: (service, old): FieldError[] => [...checkLoadBalancerStatus(service, old)],
        warnings: ({ status }) =>
          (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, index) =>
            ip === "" ? [] : ipWarnings(ip, `status.loadBalancer.ingress[${index}]`),
          ),
      }),
      createsMissing: true,
    },
  },
  table: { row: serviceRow },
});
