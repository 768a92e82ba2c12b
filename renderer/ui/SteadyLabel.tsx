/** A word that becomes bold when it is chosen: it has the width of the bold one from the start, so that nothing beside it moves. */
export const SteadyLabel = ({ text }: { text: string }) => (
  <span
    data-label={text}
    className="inline-flex flex-col items-center after:invisible after:h-0 after:overflow-hidden after:font-strong after:content-[attr(data-label)_/_'']"
  >
    {text}
  </span>
);
