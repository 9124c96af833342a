import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

/** Elements whose class names hold one of these. */
function classed(name, element = "") {
  return `JSXOpeningElement${element} > JSXAttribute[name.name="className"] Literal[value=/(^| )${name}( |$)/]`;
}

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts"] },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    languageOptions: { globals: globals.browser },
    plugins: { "jsx-a11y": jsxA11y, "react-hooks": reactHooks },
    rules: {
      ...jsxA11y.flatConfigs.strict.rules,
      ...reactHooks.configs.flat.recommended.rules,
      // Says only that components with a virtual list are not memoized by the React compiler, which is not used.
      "react-hooks/incompatible-library": "off",
      // Scrollable regions and grids take the focus for the keyboard's sake (WCAG 2.1.1).
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: [], roles: ["region", "tabpanel"] }],
    },
  },
  // Parts of src/ui have one look each, so no page writes their class names by hand. Parts count as the elements they are.
  {
    files: ["src/**/*.tsx"],
    ignores: ["src/ui/{button,field,select,muted,states}.tsx"],
    settings: { "jsx-a11y": { components: { Button: "button", Input: "input", Select: "select", TextArea: "textarea" } } },
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: classed("(button|input|field)"), message: "Take Button, LinkButton, Field, FieldGroup, Input, TextArea or Select of src/ui." },
        { selector: classed("muted", "[name.name=/^(span|p)$/]"), message: "Take Muted of src/ui." },
      ],
    },
  },
  // What Playwright evaluates runs in the page.
  { files: ["scripts/*.mjs", "*.config.{js,ts}", "e2e/**/*.ts"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
);
