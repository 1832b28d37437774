# fish completion for scrubjay
function __scrubjay_complete
    set -l words (commandline --tokenize-raw --cut-at-cursor 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    for candidate in (scrubjay complete -- $words[2..-1] "$current" 2>/dev/null)
        if test (string split -f1 \t -- $candidate) = @files
            __fish_complete_path "$current"
        else
            echo $candidate
        end
    end
end
complete -c scrubjay -f -a '(__scrubjay_complete)'
