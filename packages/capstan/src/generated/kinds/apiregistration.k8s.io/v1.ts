export * from "@capstan/kinds/apiregistration.k8s.io/v1";
