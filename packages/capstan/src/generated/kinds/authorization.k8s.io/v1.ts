export * from "@capstan/kinds/authorization.k8s.io/v1";
