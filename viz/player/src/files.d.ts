// Looks and structure are texts in the bundle.

declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.html" {
  const text: string;
  export default text;
}
