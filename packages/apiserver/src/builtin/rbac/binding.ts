/** RoleBinding and ClusterRoleBinding: grant a role to subjects. */
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { checkDns1123Subdomain, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import { checkPlainOneOf, checkPresent, invalidEach, isEmpty } from "../meta/checks.ts";
import type { RuleContext } from "../context.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { checkBinding, isCollecting, type Binding } from "./escalation.ts";
import { rbacName } from "./role.ts";

type AnyBinding = RoleBinding | ClusterRoleBinding;

const group = "rbac.authorization.k8s.io";

export const roleBinding: KindRules<RoleBinding> = defineRules<RoleBinding>(bindingRules("rolebindings"));

export const clusterRoleBinding: KindRules<ClusterRoleBinding> = defineRules<ClusterRoleBinding>(
  bindingRules("clusterrolebindings"),
);

/** The rules of both kinds; they differ in scope and in the roles that they may refer to. */
function bindingRules<T extends AnyBinding>(resource: Binding["resource"]): KindRules<T> {
  const isNamespaced = resource === "rolebindings";
  const check = (object: AnyBinding): FieldError[] => checkAll(object, isNamespaced);
  const checkRights = ({ metadata, roleRef }: AnyBinding | Draft<AnyBinding>, context: RuleContext): void =>
    checkBinding({ resource, name: metadata.name, roleRef }, context);
  return {
    validatesMetadata: true,
    createOnUpdate: true,
    defaults: (draft) => setDefaults(draft as Draft<AnyBinding>),
    prepareForCreate: (draft, context) => checkRights(draft as Draft<AnyBinding>, context),
    prepareForUpdate(draft, old, context) {
      if (!isCollecting(draft as Draft<AnyBinding>, old)) checkRights(draft as Draft<AnyBinding>, context);
    },
    validateCreate: check,
    validateUpdate: (object, old) => [
      ...check(object),
      ...checkMetadataUpdate(object.metadata, old.metadata),
      ...checkStandardFinalizers(object.metadata),
      ...(isDeepEqual(object.roleRef, old.roleRef)
        ? []
        : [fieldErrors.invalid("roleRef", internalRoleRef(object.roleRef), "cannot change roleRef")]),
    ],
    table: {
      row: (object, now) => {
        const { metadata, roleRef, subjects = [] } = object;
        const names = (kind: string): string =>
          subjects
            .filter((subject) => subject.kind === kind)
            .map((subject) => (kind === "ServiceAccount" ? `${subject.namespace ?? ""}/${subject.name}` : subject.name))
            .join(", ");
        const role = `${roleRef.kind}/${roleRef.name}`;
        return {
          cells: [metadata.name, role, ageOf(object, now), names("User"), names("Group"), names("ServiceAccount")],
        };
      },
    },
  };
}

function setDefaults({ roleRef, subjects = [] }: Draft<AnyBinding>): void {
  if (isEmpty(roleRef.apiGroup)) roleRef.apiGroup = group;
  for (const subject of subjects) {
    if (isEmpty(subject.apiGroup) && (subject.kind === "User" || subject.kind === "Group")) subject.apiGroup = group;
  }
}

function internalRoleRef({ apiGroup = "", kind, name }: RoleRef): object {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function checkAll(object: AnyBinding, isNamespaced: boolean): FieldError[] {
  const { roleRef, subjects = [] } = object;
  return [
    ...checkObjectMetadata(object, isNamespaced, rbacName),
    ...checkPlainOneOf(roleRef.apiGroup, "roleRef.apiGroup", [group]),
    ...checkPlainOneOf(roleRef.kind, "roleRef.kind", isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...(isEmpty(roleRef.name)
      ? [fieldErrors.required("roleRef.name")]
      : invalidEach("roleRef.name", roleRef.name, rbacName(roleRef.name))),
    ...subjects.flatMap((subject, index) => checkSubject(subject, `subjects[${index}]`, isNamespaced)),
  ];
}

function checkSubject(subject: Subject, path: string, isNamespaced: boolean): FieldError[] {
  const { kind, name, apiGroup, namespace } = subject;
  const nameless = checkPresent(name, `${path}.name`);
  switch (kind) {
    case "ServiceAccount":
      return [
        ...nameless,
        ...(isEmpty(name) ? [] : invalidEach(`${path}.name`, name, checkDns1123Subdomain(name))),
        ...checkPlainOneOf(apiGroup, `${path}.apiGroup`, [""]),
        ...(isNamespaced ? [] : checkPresent(namespace, `${path}.namespace`)),
      ];
    case "User":
    case "Group":
      return [...nameless, ...checkPlainOneOf(apiGroup, `${path}.apiGroup`, [group])];
    default:
      return [...nameless, fieldErrors.notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}
