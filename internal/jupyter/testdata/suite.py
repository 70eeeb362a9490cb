# The Jupyter project's own test of kernels, run on the kernel named by the
# environment variable KERNEL: python3 -m unittest suite
import os

import jupyter_kernel_test

HELLO = 'import "fmt"\nfmt.Println("hello, world")'


class KernelTest(jupyter_kernel_test.KernelTests):
    kernel_name = os.environ["KERNEL"]
    language_name = "go"
    file_extension = ".go"
    code_hello_world = HELLO
    code_stderr = 'import (\n\t"fmt"\n\t"os"\n)\nfmt.Fprintln(os.Stderr, "oops")'
    completion_samples = [
        {"text": 'import "strings"\nstrings.ToUp', "matches": ["ToUpper", "ToUpperSpecial"]},
        {"text": "appen", "matches": ["append"]},
        {"text": "noSuchName", "matches": []},
    ]
    complete_code_samples = ["1", "x := 1", HELLO, "func f() {\n}", ""]
    incomplete_code_samples = ["func f() {", "fmt.Println(", "x := `", "1 +", "/* a"]
    invalid_code_samples = ["x := )", "func 1", "a b c"]
    code_page_something = "%doc strings.ToUpper"
    code_generate_error = "zero := 0\n1 / zero"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"a" + "b"', "result": "ab"},
        {"code": "[]int{1, 2}", "result": "[1 2]"},
        {"code": 'import "image"\nimage.NewGray(image.Rect(0, 0, 2, 2))', "mime": "image/png"},
    ]
    code_display_data = [
        {"code": 'import "display"\ndisplay.Display(display.HTML("<b>x</b>"))', "mime": "text/html"},
        {"code": 'display.Display(display.PNG([]byte{1}))', "mime": "image/png"},
    ]
    code_history_pattern = "6 *"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = 'import "strings"\nstrings.ToUpper'
    code_clear_output = "display.Clear(false)"


del jupyter_kernel_test.KernelTests  # only the class above is to run
