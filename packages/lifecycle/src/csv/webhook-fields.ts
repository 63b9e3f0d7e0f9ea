/** The fields of Go's type of a webhook description, in the form of generated/deployment-fields.ts: its hash depends on them. */
export const webhookFields: { readonly [type: string]: string } = {
  WebhookDescription:
    "generateName!:string type!:string deploymentName:string containerPort:number targetPort:*IntOrString rules:[]RuleWithOperations " +
    "failurePolicy:*string matchPolicy:*string objectSelector:*LabelSelector sideEffects!:*string timeoutSeconds:*number " +
    "admissionReviewVersions!:[]string reinvocationPolicy:*string webhookPath:*string conversionCRDs:[]string",
  RuleWithOperations: "operations:[]string apiGroups:[]string apiVersions:[]string resources:[]string scope:*string",
};
