import type { Json, KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { JsonObject, Keyed } from "../../../shape.ts";

export interface CustomResourceColumnDefinition {
  readonly description?: string;
  readonly format?: string;
  readonly jsonPath: string;
  readonly name: string;
  readonly priority?: number;
  readonly type: string;
}

export interface CustomResourceColumnDefinitionApply {
  readonly description?: string;
  readonly format?: string;
  readonly jsonPath?: string;
  readonly name?: string;
  readonly priority?: number;
  readonly type?: string;
}

export interface CustomResourceConversion {
  readonly strategy: string;
  readonly webhook?: WebhookConversion;
}

export interface CustomResourceConversionApply {
  readonly strategy?: string;
  readonly webhook?: WebhookConversionApply;
}

export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: StoredMeta;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionApply {
  readonly apiVersion?: "apiextensions.k8s.io/v1";
  readonly kind?: "CustomResourceDefinition";
  readonly metadata?: ObjectMeta;
  readonly spec?: CustomResourceDefinitionSpecApply;
  readonly status?: CustomResourceDefinitionStatusApply;
}

export interface CustomResourceDefinitionCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface CustomResourceDefinitionConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type CustomResourceDefinitionList = KubeList<CustomResourceDefinition>;

export interface CustomResourceDefinitionNames {
  readonly categories?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly singular?: string;
}

export interface CustomResourceDefinitionNamesApply {
  readonly categories?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly singular?: string;
}

export interface CustomResourceDefinitionSpec {
  readonly conversion?: CustomResourceConversion;
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  readonly preserveUnknownFields?: boolean;
  readonly scope: string;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

export interface CustomResourceDefinitionSpecApply {
  readonly conversion?: CustomResourceConversionApply;
  readonly group?: string;
  readonly names?: CustomResourceDefinitionNamesApply;
  readonly preserveUnknownFields?: boolean;
  readonly scope?: string;
  readonly versions?: readonly CustomResourceDefinitionVersionApply[];
}

export interface CustomResourceDefinitionStatus {
  readonly acceptedNames?: CustomResourceDefinitionNames;
  readonly conditions?: readonly CustomResourceDefinitionCondition[];
  readonly observedGeneration?: number;
  readonly storedVersions?: readonly string[];
}

export interface CustomResourceDefinitionStatusApply {
  readonly acceptedNames?: CustomResourceDefinitionNamesApply;
  readonly conditions?: readonly Keyed<CustomResourceDefinitionConditionApply, "type">[];
  readonly observedGeneration?: number;
  readonly storedVersions?: readonly string[];
}

export interface CustomResourceDefinitionVersion {
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly name: string;
  readonly schema?: CustomResourceValidation;
  readonly selectableFields?: readonly SelectableField[];
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: CustomResourceSubresources;
}

export interface CustomResourceDefinitionVersionApply {
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinitionApply[];
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly name?: string;
  readonly schema?: CustomResourceValidationApply;
  readonly selectableFields?: readonly SelectableFieldApply[];
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly subresources?: CustomResourceSubresourcesApply;
}

export interface CustomResourceSubresourceScale {
  readonly labelSelectorPath?: string;
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
}

export interface CustomResourceSubresourceScaleApply {
  readonly labelSelectorPath?: string;
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
}

export type CustomResourceSubresourceStatus = JsonObject;
export type CustomResourceSubresourceStatusApply = CustomResourceSubresourceStatus;

export interface CustomResourceSubresources {
  readonly scale?: CustomResourceSubresourceScale;
  readonly status?: CustomResourceSubresourceStatus;
}

export interface CustomResourceSubresourcesApply {
  readonly scale?: CustomResourceSubresourceScaleApply;
  readonly status?: CustomResourceSubresourceStatusApply;
}

export interface CustomResourceValidation {
  readonly openAPIV3Schema?: JSONSchemaProps;
}

export interface CustomResourceValidationApply {
  readonly openAPIV3Schema?: JSONSchemaPropsApply;
}

export interface ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

export interface ExternalDocumentationApply {
  readonly description?: string;
  readonly url?: string;
}

export type JSON = Json;
export type JSONApply = JSON;

export interface JSONSchemaProps {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly additionalItems?: JSONSchemaPropsOrBool;
  readonly additionalProperties?: JSONSchemaPropsOrBool;
  readonly allOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly default?: JSON;
  readonly definitions?: { readonly [key: string]: JSONSchemaProps };
  readonly dependencies?: { readonly [key: string]: JSONSchemaPropsOrStringArray };
  readonly description?: string;
  readonly enum?: readonly JSON[];
  readonly example?: JSON;
  readonly exclusiveMaximum?: boolean;
  readonly exclusiveMinimum?: boolean;
  readonly externalDocs?: ExternalDocumentation;
  readonly format?: string;
  readonly id?: string;
  readonly items?: JSONSchemaPropsOrArray;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly multipleOf?: number;
  readonly not?: JSONSchemaProps;
  readonly nullable?: boolean;
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly pattern?: string;
  readonly patternProperties?: { readonly [key: string]: JSONSchemaProps };
  readonly properties?: { readonly [key: string]: JSONSchemaProps };
  readonly required?: readonly string[];
  readonly title?: string;
  readonly type?: string;
  readonly uniqueItems?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

export interface JSONSchemaPropsApply {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly additionalItems?: JSONSchemaPropsOrBoolApply;
  readonly additionalProperties?: JSONSchemaPropsOrBoolApply;
  readonly allOf?: readonly JSONSchemaPropsApply[];
  readonly anyOf?: readonly JSONSchemaPropsApply[];
  readonly default?: JSONApply;
  readonly definitions?: { readonly [key: string]: JSONSchemaPropsApply };
  readonly dependencies?: { readonly [key: string]: JSONSchemaPropsOrStringArrayApply };
  readonly description?: string;
  readonly enum?: readonly JSONApply[];
  readonly example?: JSONApply;
  readonly exclusiveMaximum?: boolean;
  readonly exclusiveMinimum?: boolean;
  readonly externalDocs?: ExternalDocumentationApply;
  readonly format?: string;
  readonly id?: string;
  readonly items?: JSONSchemaPropsOrArrayApply;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly multipleOf?: number;
  readonly not?: JSONSchemaPropsApply;
  readonly nullable?: boolean;
  readonly oneOf?: readonly JSONSchemaPropsApply[];
  readonly pattern?: string;
  readonly patternProperties?: { readonly [key: string]: JSONSchemaPropsApply };
  readonly properties?: { readonly [key: string]: JSONSchemaPropsApply };
  readonly required?: readonly string[];
  readonly title?: string;
  readonly type?: string;
  readonly uniqueItems?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-validations"?: readonly Keyed<ValidationRuleApply, "rule">[];
}

export type JSONSchemaPropsOrArray = JSONSchemaProps | readonly JSONSchemaProps[];
export type JSONSchemaPropsOrArrayApply = JSONSchemaPropsApply | readonly JSONSchemaPropsApply[];

export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean;
export type JSONSchemaPropsOrBoolApply = JSONSchemaPropsApply | boolean;

export type JSONSchemaPropsOrStringArray = JSONSchemaProps | readonly string[];
export type JSONSchemaPropsOrStringArrayApply = JSONSchemaPropsApply | readonly string[];

export interface SelectableField {
  readonly jsonPath: string;
}

export interface SelectableFieldApply {
  readonly jsonPath?: string;
}

export interface ServiceReference {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ServiceReferenceApply {
  readonly name?: string;
  readonly namespace?: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ValidationRule {
  readonly fieldPath?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
  readonly reason?: "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired";
  readonly rule: string;
}

export interface ValidationRuleApply {
  readonly fieldPath?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
  readonly reason?: "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired";
  readonly rule?: string;
}

export interface WebhookClientConfig {
  readonly caBundle?: string;
  readonly service?: ServiceReference;
  readonly url?: string;
}

export interface WebhookClientConfigApply {
  readonly caBundle?: string;
  readonly service?: ServiceReferenceApply;
  readonly url?: string;
}

export interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

export interface WebhookConversionApply {
  readonly clientConfig?: WebhookClientConfigApply;
  readonly conversionReviewVersions?: readonly string[];
}
