import type { Progress } from '../../../client/index.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

/** Progress of an upload; then a note that the service reads and checks. */
export const UploadProgress = ({
  sent,
  isPending,
  onStop,
}: {
  readonly sent: Progress | undefined;
  readonly isPending: boolean;
  readonly onStop: () => void;
}) => {
  const { imports: texts, cancel } = useMessages();
  const { percent } = useFormats();
  const share = sent?.total ? sent.bytes / sent.total : 0;
  return (
    <div role="status" className="upload">
      {isPending && (
        <>
          <span>{share < 1 ? texts.sending(percent(share)) : texts.reading}</span>
          <progress
            className="progress"
            aria-label={texts.progress}
            max={1}
            {...(share < 1 && { value: share })}
          />
          <button type="button" className="button" onClick={onStop}>
            {cancel}
          </button>
        </>
      )}
    </div>
  );
};
