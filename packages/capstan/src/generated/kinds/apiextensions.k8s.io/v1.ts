export * from "@capstan/kinds/apiextensions.k8s.io/v1";
