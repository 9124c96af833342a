/** The editor of a pipeline's texts without layout, which jsdom lacks: e2e/pipelines.e2e.ts tries the real one in Chromium.
 * Files of tests share loaded modules, so all of them replace the editor by this one.
 */
interface Props {
  label: string;
  text: string;
  marks?: { message: string }[];
  isReadOnly?: boolean;
  onChange: (text: string) => void;
}

export default function TextEditor({ label, text, marks = [], isReadOnly = false, onChange }: Props) {
  return (
    <>
      <textarea aria-label={label} value={text} readOnly={isReadOnly} onChange={(event) => onChange(event.target.value)} />
      {marks.map(({ message }) => (
        <span key={message}>marked: {message}</span>
      ))}
    </>
  );
}
